/** The commit that allowed something. */
export interface CommitReference {
  /** The full object name. */
  readonly hash: string;
  readonly author: string;
  /** The first line of the message. */
  readonly subject: string;
  /** RFC 3339. */
  readonly time: string;
}

/** The operator who did something in place of a commit. */
export interface OperatorReference {
  /** As an `OperatorAction` names it. */
  readonly action: 'ApproveHold' | 'ReleasePolicy' | 'RollBackSource' | 'ResumeSource';
  readonly by: string;
  /** Empty: none is known. */
  readonly reason: string;
}

/** The object whose replicas changed; the namespace is the policy's. */
export interface TargetReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** `null` where it was not observed. */
  readonly uid: string | null;
}
