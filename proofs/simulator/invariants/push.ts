import type { PushAttempt } from '../push-service.ts'
import type { State } from '../state.ts'
import { canSend, describeMail, type Invariant, MOMENT_MS, type SentMail } from './scene.ts'

// P1, P2, P3: replies of push services, keys, and that a browser gets notifications only with its shopper's permission.

const shorten = (id: string) => id.slice(-6)

/**
 * 404 and 410 end a subscription, and the next browser is tried; 413 shrinks; 429 waits; 401 and 403 notify the owner.
 */
export const P1: Invariant = ({ harness, state, fresh }) => {
  const { push } = harness
  if (!push) return []
  const broken = fresh.flatMap((mail) => {
    const note = push.notes.find(({ mail: its }) => its === mail)
    if (!note) return []
    const at = push.notes.indexOf(note)
    const before = push.notes.slice(0, at)
    const same = before.filter(({ messageId }) => messageId === note.messageId)
    const wasExpired = before.some(
      ({ url, answeredAt, by, answer }) =>
        url === note.url && answer === 'gone' && answeredAt !== null && !by.isDead && mail.at - answeredAt >= MOMENT_MS,
    )
    const early = same.find(({ retryAt }) => retryAt !== null && mail.engineAt < retryAt)
    const topic = mail.evidence.cart.replaceAll('-', '')
    return [
      ...(wasExpired ? [`${describeMail(mail)} was sent to a browser that its service had reported as gone`] : []),
      ...(early && !harness.hasJumped ? [`${describeMail(mail)} was retried before the time its service named`] : []),
      ...(topic.length === 32 && note.topic !== topic ? [`${describeMail(mail)} has the topic ${note.topic}`] : []),
      ...checkShrinking(note, push.mostBytes).map((problem) => `${describeMail(mail)} ${problem}`),
    ]
  })
  return [...broken, ...checkUntriedBrowsers(push.notes, state), ...checkOwnerNotice(push.notes, state)]
}

function checkShrinking({ sizes, answer }: PushAttempt, most: number): string[] {
  const isGrowing = sizes.some((size, index) => index > 0 && size >= sizes[index - 1]!)
  const isTooLarge = answer === 'accepts' && !sizes.some((size) => size <= most)
  const isStillTooLarge = isTooLarge && (most >= 1_000 || sizes.length === 1)
  return [
    ...(isGrowing ? [`was tried with ${sizes.join(', ')} bytes in turn`] : []),
    ...(isStillTooLarge ? [`was not shrunk enough: ${sizes.join(', ')} bytes`] : []),
  ]
}

/** The last browsers tried were gone, and another active browser of the person was not tried. */
function checkUntriedBrowsers(notes: readonly PushAttempt[], { messages, subscriptions }: State): string[] {
  const failed = messages.filter(({ state, reason }) => state === 'failed' && reason === 'rejected:push_gone')
  return failed.flatMap(({ id, step }) => {
    const tried = notes.filter(({ messageId }) => messageId === id)
    const expiredAnswers = tried.slice(
      tried.findLastIndex(({ answer, by }) => answer !== 'gone' || by !== tried.at(-1)!.by) + 1,
    )
    const last = expiredAnswers.length > 0 ? expiredAnswers : tried.slice(-1)
    const there = (last[0]?.alive ?? []).filter((each) => last.every(({ alive }) => alive.includes(each)))
    const remaining = there.filter((each) => !tried.some(({ endpoint }) => endpoint?.id === each))
    const alive = remaining.filter((each) => subscriptions.some((row) => row.id === each))
    return alive.length > 0 ? [`step ${step} failed although browser ${shorten(alive[0]!)} was not tried`] : []
  })
}

function checkOwnerNotice(notes: readonly PushAttempt[], { messages, isPushAlarmed }: State): string[] {
  if (isPushAlarmed) return []
  return notes
    .filter(({ answer, answeredAt, by }) => answer === 'unauthorized' && answeredAt !== null && !by.isDead)
    .filter((note) =>
      messages.some(({ id, state, reason }) => id === note.messageId && state === 'held' && reason === 'retry'),
    )
    .filter((note) => notes.findLast(({ messageId }) => messageId === note.messageId) === note)
    .map(({ messageId }) => `a service rejected our signature for ${shorten(messageId)} without a notice to the owner`)
}

/** Each browser is sent to with the key of its subscription, and never with a leaked one. */
export const P2: Invariant = ({ harness, fresh }) =>
  fresh.flatMap((mail) => {
    const note = harness.push?.notes.find(({ mail: its }) => its === mail)
    if (!note?.endpoint) return []
    const { publicKey, leakedAt } = note.endpoint
    const hasLeaked = leakedAt !== null && mail.at - leakedAt >= MOMENT_MS
    return [
      ...(note.publicKey === publicKey ? [] : [`${describeMail(mail)} was signed with another key than its browser’s`]),
      ...(hasLeaked ? [`${describeMail(mail)} was signed with a leaked key`] : []),
    ]
  })

/**
 * Only subscribed browsers of the right person get a notification, and cart contents only where the cart was reported.
 * A new subscription gets the notifications that waited for it.
 */
export const P3: Invariant = (scene) => {
  const { harness, fresh } = scene
  const { push } = harness
  if (!push) return []
  const strange = fresh.flatMap((mail) => {
    const note = push.notes.find(({ mail: its }) => its === mail)
    if (!note) return []
    if (!note.endpoint) return [`${describeMail(mail)} was sent to ${note.url}, which no browser has`]
    const { browser } = note.endpoint
    const { contents, cartStatus } = mail.evidence
    return [
      ...(isOwnBrowser(mail, browser)
        ? []
        : [`${describeMail(mail)} was sent to browser ${browser} of another person`]),
      ...(cartStatus === null || harness.reportedContents[browser]!.has(contents)
        ? []
        : [`${describeMail(mail)} shows browser ${browser} ${contents}, which it never reported`]),
    ]
  })
  return [...push.forged.map((url) => `${url} was accepted as a push service`), ...strange, ...checkWaiting(scene)]
}

const isOwnBrowser = ({ evidence }: SentMail, browser: number) =>
  evidence.keys.some(
    (key) => key === `device:device-of-browser-${browser}` || key.startsWith(`cart:cart-of-browser-${browser}-`),
  )

/** After a full worker pass, no due notification waits for a browser that exists. */
function checkWaiting(scene: Parameters<Invariant>[0]): string[] {
  const { harness, step, state } = scene
  const isWhole = step.do === 'work' && step.meanwhile === null && step.diesAt === null && canSend(scene)
  if (!isWhole || harness.hasJumped) return []
  const now = harness.clock.now().getTime()
  return state.messages
    .filter(({ channel, state: is, reason }) => channel === 'push' && is === 'held' && reason === 'no_contact')
    .filter(({ hasBrowser, dueAt }) => hasBrowser && dueAt <= now)
    .map(({ step: number }) => `notification ${number} waits for a browser although there is one`)
}
