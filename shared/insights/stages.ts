import { getProblemText } from '../access/store-problems.ts'

// Stages of a store that are monitored, and the owner's text when one stops: what stopped, the known cause, the effect,
// and what to do. Pure.

export const STAGES = ['capture', 'sync', 'detection', 'sending', 'reports'] as const
export type Stage = (typeof STAGES)[number]

interface StageStop {
  stage: Stage
  /** For sync: the code of the store's problem. */
  cause: string
  /** How long it has been stopped. */
  silent: string
  /** Number of waiting rows. */
  waiting: number
  /** The error text of the store or mail server, if any. */
  detail: string | null
}

interface StageText {
  title: string
  message: string
}

export function getStoppedText(stop: StageStop): StageText {
  const { silent } = stop
  const waiting = `${stop.waiting} ${stop.waiting === 1 ? 'message waits' : 'messages wait'}`
  switch (stop.stage) {
    case 'capture':
      return {
        title: 'No carts are coming in',
        message: `The shop has reported nothing for ${silent}, which is unusual at this hour. New carts are not captured. Open your shop, put something in the cart and check whether it appears here. If not, check in WordPress that Recoup’s plugin is active and connected. Without the plugin, check that the tracking script is still on the shop’s pages and that no cache or consent plugin blocks it.`,
      }
    case 'sync':
      return {
        title: 'The store has not been synced',
        message: `No sync of the store has succeeded for ${silent}. ${syncProblem(stop)} Reminders wait for an up-to-date order check, up to 24 hours past their time, so that no buyer is reminded.`,
      }
    case 'detection':
      return {
        title: 'Abandoned carts are not being detected',
        message: `${stop.waiting} ${stop.waiting === 1 ? 'cart' : 'carts'} should be abandoned by now and are still active. The problem is with this server, not your shop. Ask the server’s administrator to check its log and restart it. Nothing is lost; the carts are processed as soon as it works again.`,
      }
    case 'sending':
      return stop.cause === 'mail_server'
        ? {
            title: 'The mail server accepts no messages',
            message: `No message has been sent for ${silent}; ${waiting}. Its answer: "${stop.detail ?? 'nothing'}". Check it under Settings, Sending, Mail server, or ask the server’s administrator. We retry automatically; messages more than 24 hours late are not sent.`,
          }
        : {
            title: 'Messages are not being sent',
            message: `${waiting} for more than ${silent} and are not being sent. The problem is with this server. Ask the server’s administrator to check its log and restart it. Nothing is sent twice; messages more than 24 hours late are not sent.`,
          }
    case 'reports':
      return {
        title: 'No delivery reports are arriving',
        message: `Messages are sent, but no delivery report has arrived for ${silent}. Check with the provider that its reports are sent to this server’s address and that your account is in good standing.`,
      }
  }
}

/** Cause of a sync that was never attempted. */
export const SYNC_NOT_BEGUN = 'not_begun'

function syncProblem({ cause, detail }: StageStop): string {
  return cause === SYNC_NOT_BEGUN
    ? 'None was started: this server’s background jobs seem to have stopped. Ask the server’s administrator to restart it.'
    : getProblemText(cause, detail)
}

const AGAIN: Readonly<Record<Stage, StageText>> = {
  capture: { title: 'Carts are coming in again', message: 'The shop is reporting again.' },
  sync: {
    title: 'The store is being synced again',
    message: 'The store was fully synced. Messages that waited for it are sent now.',
  },
  detection: {
    title: 'Abandoned carts are being detected again',
    message: 'All delayed carts have been processed.',
  },
  sending: {
    title: 'Messages are being sent again',
    message: 'Waiting messages are being sent, unless they have expired.',
  },
  reports: { title: 'Delivery reports are arriving again', message: 'The provider is sending reports again.' },
}

export function getResumedText(stage: Stage, lastedMs: number): StageText {
  const { title, message } = AGAIN[stage]
  return { title, message: `${message} The alarm was open for ${formatDuration(lastedMs)}.` }
}

export function formatDuration(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
