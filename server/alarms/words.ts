import type { Stage } from './rules.ts'

// What the owner reads: what stopped, why as far as is known, what happens meanwhile, and what to do. Pure.

export interface Stop {
  stage: Stage
  cause: string
  since: Date
  now: Date
  /** How many rows wait. */
  waiting: number
  /** The store's or the mail server's own words, if there are any. */
  problem: string | null
}

export interface Words {
  title: string
  message: string
}

export function wordsForStop(stop: Stop): Words {
  const silent = duration(stop.now.getTime() - stop.since.getTime())
  const waiting = `${stop.waiting} ${stop.waiting === 1 ? 'message waits' : 'messages wait'}`
  switch (stop.stage) {
    case 'capture':
      return {
        title: 'No carts are coming in',
        message: `The shop's pages have reported nothing for ${silent}, and at this hour that is no chance. Carts left now are not seen. Open your shop, put something into the cart and look whether it appears here; if not, check in Settings that the capture script is still part of the shop's pages and that no cache or consent plugin holds it back.`,
      }
    case 'sync':
      return {
        title: 'The store has not been read',
        message: `No reading of the store has succeeded for ${silent}. ${stop.problem ?? 'None was begun: the background work of this server seems to stand still. Ask whoever runs it to restart it.'} Reminders wait for a fresh look at the orders, up to 24 hours past their time, so that nobody is reminded who has bought.`,
      }
    case 'detection':
      return {
        title: 'Abandoned carts are not being noticed',
        message: `${stop.waiting} ${stop.waiting === 1 ? 'cart' : 'carts'} should be abandoned by now and are still active. This is a fault of this server, not of your shop: ask whoever runs it to look at its log and restart it. Nothing is lost; the carts are caught up with as soon as it works again.`,
      }
    case 'sending':
      return stop.cause === 'mail_server'
        ? {
            title: 'The mail server takes nothing',
            message: `No message has been accepted for ${silent}; ${waiting}. It says: "${stop.problem ?? 'nothing'}". Check the mail server and SMTP_URL, or ask whoever runs this server to. We try again by ourselves; what is more than 24 hours late is not sent any more.`,
          }
        : {
            title: 'Messages are not going out',
            message: `${waiting} for more than ${silent} with nobody sending them. This is a fault of this server: ask whoever runs it to look at its log and restart it. Nothing goes out twice; what is more than 24 hours late is not sent any more.`,
          }
    case 'reports':
      return {
        title: 'No delivery reports arrive',
        message: `Messages are accepted, but for ${silent} no report has come back whether they arrive. Check at the provider that its reports are sent to this server's address and that its account is in order.`,
      }
  }
}

const AGAIN: Readonly<Record<Stage, Words>> = {
  capture: { title: 'Carts are coming in again', message: 'The shop’s pages report again.' },
  sync: {
    title: 'The store is being read again',
    message: 'The store was read completely. What waited for it goes out now.',
  },
  detection: {
    title: 'Abandoned carts are noticed again',
    message: 'All carts that were late have been caught up with.',
  },
  sending: {
    title: 'Messages are going out again',
    message: 'What waited is being sent, unless it is too old by now.',
  },
  reports: { title: 'Delivery reports arrive again', message: 'The provider reports again.' },
}

export function wordsForAgain(stage: Stage, lastedMs: number): Words {
  const { title, message } = AGAIN[stage]
  return { title, message: `${message} The alarm was open for ${duration(lastedMs)}.` }
}

export function duration(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
