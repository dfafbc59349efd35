import { describeMail, type Invariant, isManualSend, type SentMail } from './scene.ts'

// D9, D11: manual sends.

/** A repeated request creates its messages once. */
export const D9: Invariant = ({ harness, state }) => {
  const { allowed } = harness.manual
  // A send for a merged cart is also closed on the remaining cart, by a row that never was a message.
  const sentCount = state.messages.filter((message) => isManualSend(message) && message.reason !== 'merged').length
  return sentCount > allowed ? [`${sentCount} manual messages, but only ${allowed} were requested`] : []
}

/** A send for now is never held silently, a reported send took place, and the control group gets nothing. */
export const D11: Invariant = ({ harness, state, fresh, mails }) => {
  const held = state.messages
    .filter((message) => isManualSend(message) && message.createdAt === message.dueAt)
    .filter(({ state: now, reason }) => now === 'held' && reason !== 'retry')
    .map(({ channel, reason }) => `a manual message (${channel}) is held: ${reason}`)
  const untrue = harness.manual.reportedSent
    .filter((id) => !mails.some((mail) => mail.id === id && mail.answer === 'accepts'))
    .map((id) => `message ${id.slice(-6)} was reported as sent, but no provider received it`)
  const control = fresh
    .filter(({ evidence }) => isManualSend(evidence) && isControl(evidence) && !evidence.overridesHoldout)
    .filter(() => harness.scenario.holdoutPercent > 0 && harness.isFlowOn)
    .map((mail) => `${describeMail(mail)} was sent to a person in the control group`)
  return [...held, ...untrue, ...control]
}

/** In the control group at the time of the request: an assignment at the same moment does not count. */
const isControl = ({ arm, armAt, createdAt }: SentMail['evidence']) => arm === 'control' && armAt! < createdAt
