package podautoscaler

import (
	"context"
	"fmt"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	metricsapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
)

// Timing is what one call of the calculator costs, on pods and samples that are already in memory.
type Timing struct {
	Case         string `json:"case"`
	Pods         int    `json:"pods"`
	Metrics      int    `json:"metrics"`
	NsPerCall    int64  `json:"nsPerCall"`
	BytesPerCall int64  `json:"bytesPerCall"`
}

// Time measures GetResourceReplicas with a CPU utilisation target.
func Time(pods int) Timing {
	now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	setGates(nil)
	cluster, list := loaded(pods)
	calculator := NewReplicaCalculator(metrics.NewRESTMetricsClient(fixed{list: list}, nil, nil), cluster, 5*time.Minute, 30*time.Second)
	selector := labels.Everything()
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, _, _, _, err := calculator.GetResourceReplicas(context.Background(), int32(pods), 60, v1.ResourceCPU, Tolerances{0.1, 0.1}, "shop", selector, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	return Timing{"upstream-calculator", pods, 1, result.NsPerOp(), result.AllocedBytesPerOp()}
}

type fixed struct {
	resourceclient.PodMetricsInterface
	list *metricsapi.PodMetricsList
}

func (f fixed) PodMetricses(string) resourceclient.PodMetricsInterface { return f }

func (f fixed) List(context.Context, metav1.ListOptions) (*metricsapi.PodMetricsList, error) {
	return f.list, nil
}

func loaded(count int) (*cluster, *metricsapi.PodMetricsList) {
	input := &Input{Policy: autoscalingv2.HorizontalPodAutoscaler{}}
	observed := metric{}
	started, sampled := now.Add(-time.Hour), now.Add(-15*time.Second)
	for index := range count {
		name := fmt.Sprintf("checkout-%05d", index)
		p := pod{Name: name, Phase: "Running", StartTime: &started}
		p.Ready = &struct {
			Status             string    `json:"status"`
			LastTransitionTime time.Time `json:"lastTransitionTime"`
		}{"True", started}
		p.Containers = []container{{Name: "app", Requests: v1.ResourceList{"cpu": resource.MustParse("250m")}}}
		input.Observation.Pods = append(input.Observation.Pods, p)
		observed.Pods = append(observed.Pods, sample{Pod: name, Timestamp: &sampled,
			Containers: []container{{Name: "app", Usage: v1.ResourceList{"cpu": resource.MustParse("210m")}}}})
	}
	return newCluster(input), podMetricsOf(&observed)
}
