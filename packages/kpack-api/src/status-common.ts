import { type Static } from 'typebox';
import { group, int64, list, nullable, optional, text, word } from './fields.ts';

const conditionSchema = group(
  {
    type: text('What the condition speaks about: Ready, UpToDate, Reconciling or Stalled.'),
    status: word(['True', 'False', 'Unknown'], 'Whether it holds; Unknown while the first outcome is open.'),
    severity: optional(text('Left by other controllers; not written here.')),
    lastTransitionTime: optional(nullable(text('When `status` last changed its value.', { format: 'date-time' }))),
    reason: optional(text('One word for machines; Succeeded, or the reason of the failure.')),
    message: optional(text('One line for people, which stays the same while the cause does.')),
    observedGeneration: optional(int64('The metadata.generation that the condition is about.')),
  },
  'One thing that is known about the object.',
);
/** One condition of an object, also as kpack stores it (no reason, `lastTransitionTime` null). */
export type Condition = Static<typeof conditionSchema>;

const retryStatusSchema = group(
  {
    class: optional(text('Kind of failure, which sets the pace: transient, throttled, auth, notFound or invalid.')),
    reason: optional(text('Reason of the last failure, as in the UpToDate condition.')),
    attempts: optional(int64('Failed attempts in a row; a new spec starts from none.')),
    firstFailureTime: optional(
      text('Time of the first failure since the last success, at whichever spec.', { format: 'date-time' }),
    ),
    nextAttemptTime: optional(text('When the next attempt is due.', { format: 'date-time' })),
    host: optional(text('The host that refused or did not answer, if one did.')),
    waitingFor: optional(text('What the next attempt waits for: Backoff, Registry, Throttle or Change.')),
  },
  'Present while the object fails, and gone with the next success.',
);
/** What the failing object waits for; absent after a success. */
export type RetryStatus = Static<typeof retryStatusSchema>;

/** Status fields of all kinds; each schema file spreads them into its own. */
export const commonStatusFields = {
  observedGeneration: optional(int64('The metadata.generation that the last outcome is about.')),
  conditions: optional(list(conditionSchema, 'What is known about the object.', { keyedBy: 'type' })),
  retry: optional(retryStatusSchema),
  lastHandledReconcileAt: optional(
    text('The last value of the annotation buildkeeper.io/reconcile-requested-at that was answered.'),
  ),
};
