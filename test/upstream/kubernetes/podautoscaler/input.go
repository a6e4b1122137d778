package podautoscaler

import (
	"encoding/json"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Input is one line of the decision contract, as far as upstream knows what it says.
type Input struct {
	Policy   autoscalingv2.HorizontalPodAutoscaler `json:"policy"`
	Settings struct {
		Tolerance                      *float64 `json:"tolerance"`
		DownscaleStabilizationSeconds  *int64   `json:"downscaleStabilizationSeconds"`
		CPUInitializationPeriodSeconds *int64   `json:"cpuInitializationPeriodSeconds"`
		InitialReadinessDelaySeconds   *int64   `json:"initialReadinessDelaySeconds"`
		LegacyScaleUpLimit             *struct {
			Factor  float64 `json:"factor"`
			Minimum float64 `json:"minimum"`
		} `json:"legacyScaleUpLimit"`
		FeatureGates map[string]bool `json:"featureGates"`
	} `json:"settings"`
	Observation struct {
		Time  time.Time `json:"time"`
		Scale struct {
			SpecReplicas   int32  `json:"specReplicas"`
			StatusReplicas int32  `json:"statusReplicas"`
			Selector       string `json:"selector"`
		} `json:"scale"`
		Pods              []pod    `json:"pods"`
		Metrics           []metric `json:"metrics"`
		CompetingPolicies []string `json:"competingPolicies"`
	} `json:"observation"`
	Memory Memory `json:"memory"`
}

// Memory is what the controller keeps between two passes; a nil Recommendations means a controller that just started.
type Memory struct {
	Recommendations []timedReplicas `json:"recommendations"`
	ScaleUpEvents   []timedReplicas `json:"scaleUpEvents"`
	ScaleDownEvents []timedReplicas `json:"scaleDownEvents"`
	LastScaleTime   *time.Time      `json:"lastScaleTime,omitempty"`
	Conditions      []condition     `json:"conditions"`
}

type timedReplicas struct {
	Replicas int32     `json:"replicas"`
	Time     time.Time `json:"time"`
}

type condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

type pod struct {
	Name              string            `json:"name"`
	Labels            map[string]string `json:"labels"`
	Phase             string            `json:"phase"`
	StartTime         *time.Time        `json:"startTime"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp"`
	Ready             *struct {
		Status             string    `json:"status"`
		LastTransitionTime time.Time `json:"lastTransitionTime"`
	} `json:"ready"`
	Containers     []container `json:"containers"`
	InitContainers []container `json:"initContainers"`
	Resources      *struct {
		Requests v1.ResourceList `json:"requests"`
	} `json:"resources"`
}

type container struct {
	Name          string          `json:"name"`
	RestartPolicy *string         `json:"restartPolicy"`
	Requests      v1.ResourceList `json:"requests"`
	Usage         v1.ResourceList `json:"usage"`
}

type metric struct {
	Error  *struct{ Message string } `json:"error"`
	Pods   []sample                  `json:"pods"`
	Value  *resource.Quantity        `json:"value"`
	Values []resource.Quantity       `json:"values"`
}

type sample struct {
	Pod           string             `json:"pod"`
	Timestamp     *time.Time         `json:"timestamp"`
	WindowSeconds *int64             `json:"windowSeconds"`
	Containers    []container        `json:"containers"`
	Value         *resource.Quantity `json:"value"`
}

// Read parses one line.
func Read(line []byte) (*Input, error) {
	input := &Input{}
	return input, json.Unmarshal(line, input)
}
