import { type CartFacts, describeBound, isMet } from '../conditions.ts'
import type { StepSnapshot, StepsSnapshot } from '../play-flow-edits.ts'
import type { Channel } from '../steps.ts'
import { describeMail, type Invariant, isFlowSend, MOMENT_MS, OPEN, type SentMail } from './scene.ts'

// Decisions 52 to 55: a sent message is a saved step of its flow, on one of its channels, with its conditions met and
// the content of one of its variants. A save within the last second may have come too late.

export const checkSteps: Invariant = ({ harness, state, before, fresh, mails }) => {
  const { stepSnapshots } = harness
  const sent = fresh.filter(({ evidence }) => isFlowSend(evidence))
  const moved = sent.flatMap((mail) => {
    const earlier = mails.find(({ id, at, channel }) => id === mail.id && at <= mail.at && channel !== mail.channel)
    return earlier ? [`${describeMail(mail)} was sent again by another channel than ${earlier.channel}`] : []
  })
  if (stepSnapshots.length === 0) return moved
  const wrong = sent.flatMap((mail) => {
    const flows = findActiveSteps(stepSnapshots, mail.at)
    const noted = flows.flatMap(({ steps: all }) => all.get(mail.evidence.stepId ?? '') ?? [])
    if (noted.length === 0) return [`${describeMail(mail)} was sent although its step was removed`]
    const problems = noted.map((step) => findStepProblem(step, mail, mails))
    return problems.every((problem) => problem !== null) ? [`${describeMail(mail)} was sent, ${problems[0]}`] : []
  })
  const now = stepSnapshots.at(-1)!
  const orphans = state.messages
    .filter(({ state: is, origin }) => OPEN.has(is) && isFlowSend({ origin }))
    .filter(({ stepId, createdAt }) => !now.steps.has(stepId ?? '') && createdAt < now.at && !harness.hasJumped)
    .map(({ step }) => `step ${step} is open although it was removed from the flow`)
  // If the flow was switched on at the same moment with carts of the last day, it is due for these.
  const added =
    harness.lastDayStep === harness.stepNumber
      ? []
      : checkAddedSteps(harness.stepStartedAt, { stepSnapshots, state, before })
  return [...moved, ...wrong, ...orphans, ...added]
}

/** At that time, and in the second before. */
export const findActiveSteps = (past: readonly StepsSnapshot[], at: number) =>
  past.filter(
    ({ at: since }, index) => since <= at && (past[index + 1]?.at ?? Number.POSITIVE_INFINITY) > at - MOMENT_MS,
  )

function findStepProblem(
  step: StepSnapshot,
  mail: SentMail,
  mails: readonly { id: string; at: number }[],
): string | null {
  const { evidence, channel } = mail
  const isFirst = !mails.some((each) => each.id === mail.id && each.at < mail.at)
  // A message that was sent once keeps its channel.
  if (isFirst && !step.channels.includes(channel as Channel)) return `but its step uses ${step.channels.join(', ')}`
  // With one channel there is no choice to record.
  const isOne = evidence.variantId === null && (step.variants?.size ?? 1) === 1
  const variants = step.variants ?? new Set([evidence.stepId])
  if (!isOne && !variants.has(evidence.variantId ?? '')) return 'with the content of no variant of its step'
  // Changes at the moment of the send came after the decision.
  if (evidence.lastActivityAt === null || evidence.lastActivityAt > evidence.sendingAt - MOMENT_MS) return null
  return step.condition && !isMet(step.condition, buildCartFacts(evidence))
    ? `although its condition is ${describeBound(step.condition)}`
    : null
}

const buildCartFacts = ({ contents, valueMinor, phone }: SentMail['evidence']): CartFacts => ({
  items: contents === '' ? [] : contents.split(',').map((line) => ({ quantity: Number.parseInt(line, 10) })),
  value: valueMinor!,
  hasPhone: phone !== null,
})

/** An added step is never due at once for existing carts. */
function checkAddedSteps(
  since: number,
  {
    stepSnapshots,
    state,
    before,
  }: { stepSnapshots: readonly StepsSnapshot[] } & Pick<Parameters<Invariant>[0], 'state' | 'before'>,
): string[] {
  const known = new Set(before?.messages.map(({ id }) => id) ?? [])
  return stepSnapshots
    .filter(({ at, added }) => at >= since && added.size > 0)
    .flatMap(({ at, added }) =>
      state.messages.filter(
        ({ id, stepId, createdAt, dueAt }) =>
          !known.has(id) && added.has(stepId ?? '') && createdAt === at && dueAt <= at,
      ),
    )
    .map(
      ({ step, dueAt }) => `step ${step} was added and planned for ${new Date(dueAt).toISOString()}, which had passed`,
    )
}
