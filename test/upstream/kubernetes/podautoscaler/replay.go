package podautoscaler

import (
	"context"
	"fmt"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	autoscalingdefaults "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
	"k8s.io/kubernetes/pkg/controller/util/selectors"
)

const key = "shop/checkout"

// Output is what upstream made of one Input.
type Output struct {
	// Desired is what was written, or the present count where nothing was.
	Desired int32  `json:"desired"`
	Written bool   `json:"written"`
	Reason  string `json:"reason"`
	Error   string `json:"error,omitempty"`
	// Proposals has one entry a metric: what it proposes alone, or null where it is invalid.
	Proposals []*int32                           `json:"proposals"`
	Current   []*autoscalingv2.MetricValueStatus `json:"current"`
	Memory    Memory                             `json:"memory"`
}

// Replay runs one pass of the real controller on the input. A panic of upstream's is its answer too.
func Replay(input *Input) (output *Output) {
	defer func() {
		if problem := recover(); problem != nil {
			output = &Output{Error: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	now = input.Observation.Time
	setGates(input.Settings.FeatureGates)
	setLegacyLimit(input)
	hpa := objectOf(input)
	output = &Output{Desired: input.Observation.Scale.SpecReplicas}
	cluster := newCluster(input)
	controller := newController(input, cluster, newSource(input, hpa.Spec.Metrics).client())
	if err := controller.reconcileAutoscaler(context.Background(), hpa, key); err != nil {
		output.Error = err.Error()
	}
	output.Written, output.Reason = cluster.written, cluster.reason
	if cluster.written {
		output.Desired = cluster.scale.Spec.Replicas
	}
	output.Memory = memoryOf(controller, cluster.statusOr(hpa))
	output.propose(input, hpa, cluster)
	return output
}

func (o *Output) propose(input *Input, hpa *autoscalingv2.HorizontalPodAutoscaler, cluster *cluster) {
	selector, err := labels.Parse(input.Observation.Scale.Selector)
	if err != nil {
		return
	}
	scale := input.Observation.Scale
	for index, spec := range hpa.Spec.Metrics {
		status := autoscalingv2.MetricStatus{}
		proposal, _, _, _, err := newController(input, cluster, newSource(input, hpa.Spec.Metrics).only(index).client()).computeReplicasForMetric(
			context.Background(), hpa, spec, scale.SpecReplicas, scale.StatusReplicas, selector, &status)
		if err != nil {
			o.Proposals, o.Current = append(o.Proposals, nil), append(o.Current, nil)
			continue
		}
		o.Proposals, o.Current = append(o.Proposals, &proposal), append(o.Current, currentOf(status))
	}
}

func currentOf(status autoscalingv2.MetricStatus) *autoscalingv2.MetricValueStatus {
	switch {
	case status.Resource != nil:
		return &status.Resource.Current
	case status.ContainerResource != nil:
		return &status.ContainerResource.Current
	case status.Pods != nil:
		return &status.Pods.Current
	case status.Object != nil:
		return &status.Object.Current
	case status.External != nil:
		return &status.External.Current
	}
	return nil
}

var gateNames = map[string]string{
	"ScaleToZero":           "HPAScaleToZero",
	"ConfigurableTolerance": "HPAConfigurableTolerance",
	"PodLevelResources":     "PodLevelResources",
}

// dependents are gates of the kubelet that must be off where PodLevelResources is.
const dependents = "InPlacePodLevelResourcesVerticalScaling=false,PodLevelResourceManagers=false"

func setGates(gates map[string]bool) {
	text := dependents
	for ours, theirs := range gateNames {
		on, given := gates[ours]
		text += fmt.Sprintf(",%s=%t", theirs, !given || on)
	}
	if err := utilfeature.DefaultMutableFeatureGate.Set(text); err != nil {
		panic(err)
	}
}

func setLegacyLimit(input *Input) {
	scaleUpLimitFactor, scaleUpLimitMinimum = 2, 4
	if limit := input.Settings.LegacyScaleUpLimit; limit != nil {
		scaleUpLimitFactor, scaleUpLimitMinimum = limit.Factor, limit.Minimum
	}
}

func objectOf(input *Input) *autoscalingv2.HorizontalPodAutoscaler {
	hpa := input.Policy.DeepCopy()
	autoscalingdefaults.SetObjectDefaults_HorizontalPodAutoscaler(hpa)
	hpa.Name, hpa.Namespace = "checkout", "shop"
	hpa.Status = autoscalingv2.HorizontalPodAutoscalerStatus{}
	for _, c := range input.Memory.Conditions {
		hpa.Status.Conditions = append(hpa.Status.Conditions, autoscalingv2.HorizontalPodAutoscalerCondition{
			Type:               autoscalingv2.HorizontalPodAutoscalerConditionType(c.Type),
			Status:             v1.ConditionStatus(c.Status),
			Reason:             c.Reason,
			LastTransitionTime: metav1.NewTime(c.LastTransitionTime),
		})
	}
	if input.Memory.LastScaleTime != nil {
		last := metav1.NewTime(*input.Memory.LastScaleTime)
		hpa.Status.LastScaleTime = &last
	}
	return hpa
}

func newController(input *Input, cluster *cluster, client metrics.MetricsClient) *HorizontalController {
	settings := input.Settings
	tolerance := 0.1
	if settings.Tolerance != nil {
		tolerance = *settings.Tolerance
	}
	controller := &HorizontalController{
		scaleNamespacer:              cluster,
		hpaNamespacer:                cluster,
		mapper:                       cluster,
		tolerance:                    tolerance,
		eventRecorder:                cluster,
		downscaleStabilisationWindow: seconds(settings.DownscaleStabilizationSeconds, 300),
		monitor:                      monitor.New(),
		podLister:                    cluster,
		recommendations:              map[string][]timestampedRecommendation{},
		scaleUpEvents:                map[string][]timestampedScaleEvent{key: eventsOf(input.Memory.ScaleUpEvents)},
		scaleDownEvents:              map[string][]timestampedScaleEvent{key: eventsOf(input.Memory.ScaleDownEvents)},
		hpaSelectors:                 selectors.NewBiMultimap(),
		replicaCalc: NewReplicaCalculator(client, cluster,
			seconds(settings.CPUInitializationPeriodSeconds, 300), seconds(settings.InitialReadinessDelaySeconds, 30)),
	}
	if input.Memory.Recommendations != nil {
		list := []timestampedRecommendation{}
		for _, entry := range input.Memory.Recommendations {
			list = append(list, timestampedRecommendation{entry.Replicas, entry.Time})
		}
		controller.recommendations[key] = list
	}
	controller.hpaSelectors.PutSelector(selectors.Key{Namespace: "shop", Name: "checkout"}, labels.Nothing())
	for index := range input.Observation.CompetingPolicies {
		controller.hpaSelectors.PutSelector(selectors.Key{Namespace: "shop", Name: fmt.Sprint("other-", index)}, labels.Everything())
	}
	return controller
}

func seconds(value *int64, otherwise int64) time.Duration {
	if value == nil {
		return time.Duration(otherwise) * time.Second
	}
	return time.Duration(*value) * time.Second
}

func eventsOf(list []timedReplicas) (events []timestampedScaleEvent) {
	for _, entry := range list {
		events = append(events, timestampedScaleEvent{entry.Replicas, entry.Time, false})
	}
	return events
}

func memoryOf(controller *HorizontalController, status *autoscalingv2.HorizontalPodAutoscalerStatus) Memory {
	memory := Memory{Conditions: []condition{}}
	for _, entry := range controller.recommendations[key] {
		memory.Recommendations = append(memory.Recommendations, timedReplicas{entry.recommendation, entry.timestamp.UTC()})
	}
	for _, entry := range controller.scaleUpEvents[key] {
		memory.ScaleUpEvents = append(memory.ScaleUpEvents, timedReplicas{entry.replicaChange, entry.timestamp.UTC()})
	}
	for _, entry := range controller.scaleDownEvents[key] {
		memory.ScaleDownEvents = append(memory.ScaleDownEvents, timedReplicas{entry.replicaChange, entry.timestamp.UTC()})
	}
	for _, c := range status.Conditions {
		memory.Conditions = append(memory.Conditions, condition{string(c.Type), string(c.Status), c.Reason, c.LastTransitionTime.UTC()})
	}
	if status.LastScaleTime != nil {
		last := status.LastScaleTime.UTC()
		memory.LastScaleTime = &last
	}
	return memory
}

func scaleOf(input *Input) *autoscalingv1.Scale {
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "checkout", Namespace: "shop"},
		Spec:       autoscalingv1.ScaleSpec{Replicas: input.Observation.Scale.SpecReplicas},
		Status:     autoscalingv1.ScaleStatus{Replicas: input.Observation.Scale.StatusReplicas, Selector: input.Observation.Scale.Selector},
	}
}
