package podautoscaler

import (
	"context"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
)

// cluster answers the controller's questions from one input, and keeps what it writes. Only what the controller calls is
// there; the embedded interfaces are nil.
type cluster struct {
	input   *Input
	pods    []*v1.Pod
	scale   *autoscalingv1.Scale
	written bool
	reason  string
	status  *autoscalingv2.HorizontalPodAutoscalerStatus
	meta.RESTMapper
}

func newCluster(input *Input) *cluster {
	c := &cluster{input: input, scale: scaleOf(input)}
	for index := range input.Observation.Pods {
		c.pods = append(c.pods, podOf(&input.Observation.Pods[index]))
	}
	return c
}

func (c *cluster) statusOr(hpa *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscalerStatus {
	if c.status != nil {
		return c.status
	}
	return &hpa.Status
}

func (c *cluster) RESTMappings(gk schema.GroupKind, _ ...string) ([]*meta.RESTMapping, error) {
	return []*meta.RESTMapping{{Resource: schema.GroupVersionResource{Group: gk.Group, Version: "v1", Resource: "deployments"}}}, nil
}

type scales struct {
	scaleclient.ScaleInterface
	of *cluster
}

func (c *cluster) Scales(string) scaleclient.ScaleInterface { return scales{of: c} }

func (s scales) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return s.of.scale.DeepCopy(), nil
}

func (s scales) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	s.of.scale, s.of.written = scale.DeepCopy(), true
	return scale, nil
}

type statuses struct {
	autoscalingclient.HorizontalPodAutoscalerInterface
	of *cluster
}

func (c *cluster) HorizontalPodAutoscalers(string) autoscalingclient.HorizontalPodAutoscalerInterface {
	return statuses{of: c}
}

func (s statuses) UpdateStatus(_ context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler, _ metav1.UpdateOptions) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	s.of.status = hpa.Status.DeepCopy()
	return hpa, nil
}

// List answers whatever the selector says: the contract's pods are those that the label listing returned.
func (c *cluster) List(labels.Selector) ([]*v1.Pod, error) { return c.pods, nil }

type podNamespace struct {
	corelisters.PodNamespaceLister
	of *cluster
}

func (n podNamespace) List(selector labels.Selector) ([]*v1.Pod, error) { return n.of.List(selector) }

func (c *cluster) Pods(string) corelisters.PodNamespaceLister { return podNamespace{of: c} }

func (c *cluster) Event(runtime.Object, string, string, string) {}

func (c *cluster) Eventf(_ runtime.Object, _, reason, _ string, args ...interface{}) {
	if reason == "SuccessfulRescale" {
		c.reason = args[1].(string)
	}
}

func (c *cluster) AnnotatedEventf(runtime.Object, map[string]string, string, string, string, ...interface{}) {
}

func podOf(from *pod) *v1.Pod {
	to := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: from.Name, Namespace: "shop", Labels: from.Labels}}
	to.Status.Phase = v1.PodPhase(from.Phase)
	to.Status.StartTime = timeOf(from.StartTime)
	to.DeletionTimestamp = timeOf(from.DeletionTimestamp)
	if from.Ready != nil {
		to.Status.Conditions = []v1.PodCondition{{
			Type:               v1.PodReady,
			Status:             v1.ConditionStatus(from.Ready.Status),
			LastTransitionTime: metav1.NewTime(from.Ready.LastTransitionTime),
		}}
	}
	to.Spec.Containers, to.Spec.InitContainers = containersOf(from.Containers), containersOf(from.InitContainers)
	if from.Resources != nil {
		to.Spec.Resources = &v1.ResourceRequirements{Requests: from.Resources.Requests}
	}
	return to
}

func containersOf(list []container) (containers []v1.Container) {
	for _, from := range list {
		to := v1.Container{Name: from.Name, Resources: v1.ResourceRequirements{Requests: from.Requests}}
		if from.RestartPolicy != nil {
			policy := v1.ContainerRestartPolicy(*from.RestartPolicy)
			to.RestartPolicy = &policy
		}
		containers = append(containers, to)
	}
	return containers
}

func timeOf(t *time.Time) *metav1.Time {
	if t == nil {
		return nil
	}
	at := metav1.NewTime(*t)
	return &at
}
