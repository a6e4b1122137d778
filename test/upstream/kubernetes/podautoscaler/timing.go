package podautoscaler

import (
	"context"
	"math"
	"runtime"
	"syscall"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	metricsapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
)

// Timing is what the calculator costs for all metrics of one input, on pods and samples that are already in memory.
type Timing struct {
	NsPerCall float64 `json:"nsPerCall"`
}

const (
	// A round is long enough for some collections of garbage.
	roundTime = 50 * time.Millisecond
	rounds    = 4
)

// Time measures GetResourceReplicas with the CPU utilisation targets of the input.
func Time(input *Input) Timing {
	// The calculator is one goroutine, so that a second processor would only do more work for the garbage collector.
	runtime.GOMAXPROCS(1)
	now = input.Observation.Time
	setGates(nil)
	cluster := newCluster(input)
	calls := make([]func(), len(input.Policy.Spec.Metrics))
	for index, spec := range input.Policy.Spec.Metrics {
		calls[index] = callOf(input, cluster, spec, podMetricsOf(&input.Observation.Metrics[index]))
	}
	return Timing{fastestRound(func() {
		for _, call := range calls {
			call()
		}
	})}
}

func callOf(input *Input, cluster *cluster, spec autoscalingv2.MetricSpec, list *metricsapi.PodMetricsList) func() {
	client := metrics.NewRESTMetricsClient(fixed{list: list}, nil, nil)
	calculator := NewReplicaCalculator(client, cluster, 5*time.Minute, 30*time.Second)
	replicas, target := input.Observation.Scale.SpecReplicas, *spec.Resource.Target.AverageUtilization
	selector := labels.Everything()
	return func() {
		_, _, _, _, err := calculator.GetResourceReplicas(
			context.Background(), replicas, target, spec.Resource.Name, Tolerances{0.1, 0.1}, "shop", selector, "")
		if err != nil {
			panic(err)
		}
	}
}

// fastestRound gives nanoseconds of CPU time, since the clock of a busy machine counts what others do.
func fastestRound(call func()) float64 {
	count := 1
	for lasting(call, count) < roundTime {
		count *= 2
	}
	fastest := math.Inf(1)
	for range rounds {
		fastest = min(fastest, float64(lasting(call, count).Nanoseconds())/float64(count))
	}
	return fastest
}

// lasting is the CPU time of so many calls, garbage collection included.
func lasting(call func(), count int) time.Duration {
	begun := cpuTime()
	for range count {
		call()
	}
	return cpuTime() - begun
}

func cpuTime() time.Duration {
	used := syscall.Rusage{}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

type fixed struct {
	resourceclient.PodMetricsInterface
	list *metricsapi.PodMetricsList
}

func (f fixed) PodMetricses(string) resourceclient.PodMetricsInterface { return f }

func (f fixed) List(context.Context, metav1.ListOptions) (*metricsapi.PodMetricsList, error) {
	return f.list, nil
}
