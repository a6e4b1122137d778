package podautoscaler

import (
	"context"
	"errors"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	customapi "k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	externalapi "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metricsapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	customclient "k8s.io/metrics/pkg/client/custom_metrics"
	externalclient "k8s.io/metrics/pkg/client/external_metrics"
)

var errNotObserved = errors.New("the metric was not observed")

// source answers the three metrics APIs. The controller asks for the metrics in their order, each once, but does not say
// which one it asks for; so each API has a queue of the metrics that will ask it.
type source struct {
	input  *Input
	queues map[string][]int
}

func newSource(input *Input, specs []autoscalingv2.MetricSpec) *source {
	s := &source{input: input, queues: map[string][]int{}}
	for index, spec := range specs {
		if api := apiOf(spec); api != "" {
			s.queues[api] = append(s.queues[api], index)
		}
	}
	return s
}

// apiOf names the API that the metric asks; an Object metric whose target disagrees with its type asks none.
func apiOf(spec autoscalingv2.MetricSpec) string {
	switch spec.Type {
	case autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType:
		return "resource"
	case autoscalingv2.PodsMetricSourceType:
		return "pods"
	case autoscalingv2.ExternalMetricSourceType:
		return "external"
	}
	target := spec.Object.Target
	if (target.Type == autoscalingv2.ValueMetricType && target.Value != nil) ||
		(target.Type == autoscalingv2.AverageValueMetricType && target.AverageValue != nil) {
		return "object"
	}
	return ""
}

// only makes every API answer with the one metric.
func (s *source) only(index int) *source {
	s.queues = map[string][]int{"resource": {index}, "pods": {index}, "object": {index}, "external": {index}}
	return s
}

func (s *source) client() metrics.MetricsClient {
	return metrics.NewRESTMetricsClient(resources{source: s}, customs{source: s}, externals{source: s})
}

func (s *source) next(api string) (*metric, error) {
	index := s.queues[api][0]
	s.queues[api] = s.queues[api][1:]
	if index >= len(s.input.Observation.Metrics) {
		return nil, errNotObserved
	}
	observed := &s.input.Observation.Metrics[index]
	if observed.Error != nil {
		return nil, errors.New(observed.Error.Message)
	}
	return observed, nil
}

type resources struct {
	resourceclient.PodMetricsInterface
	*source
}

func (r resources) PodMetricses(string) resourceclient.PodMetricsInterface { return r }

func (r resources) List(context.Context, metav1.ListOptions) (*metricsapi.PodMetricsList, error) {
	observed, err := r.next("resource")
	if err != nil {
		return nil, err
	}
	return podMetricsOf(observed), nil
}

func podMetricsOf(observed *metric) *metricsapi.PodMetricsList {
	list := &metricsapi.PodMetricsList{}
	for _, from := range observed.Pods {
		to := metricsapi.PodMetrics{
			ObjectMeta: metav1.ObjectMeta{Name: from.Pod, Namespace: "shop"},
			Timestamp:  metav1.NewTime(from.at()),
			Window:     metav1.Duration{Duration: seconds(from.WindowSeconds, 60)},
		}
		for _, c := range from.Containers {
			to.Containers = append(to.Containers, metricsapi.ContainerMetrics{Name: c.Name, Usage: c.Usage})
		}
		list.Items = append(list.Items, to)
	}
	return list
}

func (s sample) at() time.Time {
	if s.Timestamp == nil {
		return now
	}
	return *s.Timestamp
}

type customs struct {
	customclient.MetricsInterface
	*source
}

func (c customs) NamespacedMetrics(string) customclient.MetricsInterface { return c }

func (c customs) RootScopedMetrics() customclient.MetricsInterface { return c }

func (c customs) GetForObjects(schema.GroupKind, labels.Selector, string, labels.Selector) (*customapi.MetricValueList, error) {
	observed, err := c.next("pods")
	if err != nil {
		return nil, err
	}
	list := &customapi.MetricValueList{}
	for _, from := range observed.Pods {
		if from.Value == nil {
			return nil, errNotObserved
		}
		list.Items = append(list.Items, customapi.MetricValue{
			DescribedObject: v1.ObjectReference{Name: from.Pod},
			Timestamp:       metav1.NewTime(from.at()),
			WindowSeconds:   from.WindowSeconds,
			Value:           *from.Value,
		})
	}
	return list, nil
}

func (c customs) GetForObject(schema.GroupKind, string, string, labels.Selector) (*customapi.MetricValue, error) {
	observed, err := c.next("object")
	if err != nil {
		return nil, err
	}
	if observed.Value == nil {
		return nil, errNotObserved
	}
	return &customapi.MetricValue{Value: *observed.Value}, nil
}

type externals struct{ *source }

func (e externals) NamespacedMetrics(string) externalclient.MetricsInterface { return e }

func (e externals) List(string, labels.Selector) (*externalapi.ExternalMetricValueList, error) {
	observed, err := e.next("external")
	if err != nil {
		return nil, err
	}
	list := &externalapi.ExternalMetricValueList{}
	for _, value := range observed.Values {
		list.Items = append(list.Items, externalapi.ExternalMetricValue{Value: value})
	}
	return list, nil
}
