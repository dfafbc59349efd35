import { describeMail, type Invariant, isManualSend, type SentMail } from './scene.ts'

// D9, D11: what a person sends.

/** The same request, however often it comes, makes its messages once. */
export const D9: Invariant = ({ harness, state }) => {
  const { allowed } = harness.manual
  // One that went out for a joined cart is closed on the survivor as well, by a row that never was a message.
  const made = state.messages.filter((message) => isManualSend(message) && message.reason !== 'merged').length
  return made > allowed ? [`${made} messages by hand, and ${allowed} were asked for`] : []
}

/** Nothing asked for at once is silently held; what was said to be sent was; the control group is left alone. */
export const D11: Invariant = ({ harness, state, fresh, mails }) => {
  const held = state.messages
    .filter((message) => isManualSend(message) && message.createdAt === message.dueAt)
    .filter(({ state: now, reason }) => now === 'held' && reason !== 'retry')
    .map(({ channel, reason }) => `a message by hand (${channel}) is held: ${reason}`)
  const untrue = harness.manual.saidSent
    .filter((id) => !mails.some((mail) => mail.id === id && mail.answer === 'accepts'))
    .map((id) => `message ${id.slice(-6)} was said to be sent, and no provider took it`)
  const control = fresh
    .filter(({ evidence }) => isManualSend(evidence) && isControl(evidence) && !evidence.overridesHoldout)
    .filter(() => harness.scenario.holdoutPercent > 0 && harness.isFlowOn)
    .map((mail) => `${describeMail(mail)} went to somebody in the control group`)
  return [...held, ...untrue, ...control]
}

/** Known for one when it was asked for: whoever is drawn in the same moment was nobody's control yet. */
const isControl = ({ arm, armAt, createdAt }: SentMail['evidence']) => arm === 'control' && armAt! < createdAt
