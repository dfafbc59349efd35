import type { OrderKind } from '../../server/platforms/platform.ts'

// A history is data: what shoppers, the store, the mail provider, the owner, the clock and the workers do, in order.

export interface History {
  seed: number
  /** Minutes after the last activity. */
  delays: readonly number[]
  cap: number
  holdoutPercent: number
  steps: readonly Step[]
}

export type Contact = { email?: string; phone?: string; firstName?: string }

/** What the mail provider does with the next mail. */
export type Answer =
  | 'accepts'
  | 'refuses'
  | 'bounces'
  | 'retry'
  /** It took the mail, and its answer was lost. */
  | 'silent, took it'
  | 'silent, lost it'
  /** It took the mail, and the sending process ended before the answer came. */
  | 'takes it, sender dies'
  | 'sender dies first'

export interface Meanwhile {
  /** Where in the worker's way: before the claim, the judgement, the hand-over; at a page of orders; on the wire. */
  at: 'page' | 'claim' | 'judge' | 'handover' | 'wire'
  steps: readonly Step[]
}

export type Act =
  | {
      do: 'post'
      browser: number
      /** A new page view begins; otherwise the post is the page's next. */
      isNewPage: boolean
      items: readonly [id: string, quantity: number][] | null
      coupons: readonly string[]
      contact: Contact | null
      consent: boolean | null
      /** `left`: kept and answered by a process that ended before it made a fact of it. */
      network: 'now' | 'late' | 'twice' | 'lost' | 'left'
    }
  /** The browser forgets its cart token and keeps its device token. */
  | { do: 'new visit'; browser: number }
  | { do: 'late posts arrive'; isReversed: boolean }
  | {
      do: 'order'
      order: number
      kind: OrderKind
      email: string | null
      phone: string | null
      customerId: string | null
      items: readonly [id: string, quantity: number][]
      totalMinor: number
      refundedMinor: number
      isStaff: boolean
      webhook: 'now' | 'late' | 'twice' | 'lost'
    }
  /** What a plugin or a proxy kept back: bodies of earlier states, in any order. */
  | { do: 'late webhooks arrive'; isOld: boolean }
  | { do: 'work'; worker: number; answers: readonly Answer[]; meanwhile: Meanwhile | null; diesAt: number | null }
  | { do: 'restart'; worker: number }
  | { do: 'store'; mood: 'answers' | 'is down' | 'fails at page 2' | 'is slow' | 'stalls' }
  | { do: 'sweep'; worker: number }
  | { do: 'clock'; jumpMs: number | 'right' }
  | { do: 'flow'; isOn: boolean; includeLast24h: boolean }
  | { do: 'edit'; delays: readonly number[]; isTextChanged: boolean }
  | { do: 'pause'; isPaused: boolean }
  | { do: 'disconnect' }
  | { do: 'reconnect' }
  | { do: 'click'; mail: number; isHuman: boolean }
  | { do: 'restore'; mail: number }
  | { do: 'unsubscribe'; mail: number; way: 'page' | 'one-click' }
  | { do: 'resubscribe'; mail: number }
  | { do: 'at once'; acts: readonly [Act, Act] }

/** Time passes, then something happens. */
export type Step = Act & { waitMs: number }

export function describe(history: History): string {
  const { seed, delays, cap, holdoutPercent } = history
  const head = `seed ${seed}: steps after ${delays.join(', ')} min; at most ${cap} a day; holdout ${holdoutPercent} %`
  return [head, ...history.steps.map((step, index) => `${String(index + 1).padStart(3)}. ${sayStep(step)}`)].join('\n')
}

export function sayStep({ waitMs, ...act }: Step): string {
  return `${waitMs ? `after ${sayTime(waitMs)}, ` : ''}${sayAct(act as Act)}`
}

function sayAct(act: Act): string {
  if (act.do === 'at once') return `at once: ${act.acts.map(sayAct).join('  |  ')}`
  const { do: what, ...rest } = act
  const parts = Object.entries(rest).flatMap(([name, value]) => {
    if (name === 'meanwhile') return value ? [sayMeanwhile(value as Meanwhile)] : []
    const isMeant = name === 'consent' && value === false
    if (value === null || (value === false && !isMeant) || (Array.isArray(value) && value.length === 0)) return []
    return [`${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`]
  })
  return parts.length > 0 ? `${what} (${parts.join(', ')})` : what
}

const sayMeanwhile = ({ at, steps }: Meanwhile) => `meanwhile at ${at} [${steps.map(sayStep).join('; ')}]`

function sayTime(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ]
  const [size, name] = units.find(([each]) => Math.abs(ms) >= each) ?? [1, 'ms']
  return `${Number((ms / size).toFixed(2))} ${name}`
}
