import type { z } from 'zod'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { upcomingMessages } from '../../../shared/marketing/upcoming.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import { explainForecast, foresee, type MessageForecast } from '../../delivery/decide/public.ts'
import { loadTextChannels } from '../../delivery/send/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// Forecasts what a flow sends next if nothing changes: expected messages, and those known not to be sent, with the
// reason.

/** Maximum number of decisions per request; the others are only counted. */
const MAX_FORECAST = 500
const MAX_LISTED = 100

type Upcoming = Omit<z.output<typeof upcomingMessages.reply>, 'cartsOfLast24h'>

export async function readUpcoming(
  deps: Pick<Deps, 'channels' | 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  flowId: string,
  until: Date,
): Promise<Upcoming> {
  const { rows, total } = await sql.readDueMessages(store, flowId, until, MAX_FORECAST)
  const texts = await loadTextChannels(deps, store, ['sms', 'whatsapp'])
  const awaited = rows.map(({ id, wake_at: wakeAt }) => ({ id, wakeAt }))
  const foreseen = awaited.length === 0 ? [] : await foresee(deps, store, awaited, { until, texts })
  const expected = foreseen.filter(({ obstacle }) => obstacle === null).toSorted((a, b) => +a.at - +b.at)
  const known = new Map(rows.map((row) => [row.id, row]))
  return {
    total: expected.length,
    unforeseen: total - rows.length,
    notSent: countBlockers(foreseen),
    messages: expected.slice(0, MAX_LISTED).map(({ id, channel, to, at }) => {
      const row = known.get(id)!
      return {
        cartId: row.cart_id,
        customer: row.customer_name,
        to: channel === 'push' ? 'a browser' : to,
        step: row.step,
        channel,
        dueAt: at.toISOString(),
        state: row.state,
        explanation: explain(row.reason, channel),
      }
    }),
  }
}

/** Most frequent first. */
function countBlockers(foreseen: readonly MessageForecast[]): Upcoming['notSent'] {
  const explanations = foreseen.filter(({ obstacle }) => obstacle !== null).map(explainForecast)
  return [...Map.groupBy(explanations, (each) => each)]
    .map(([explanation, { length: count }]) => ({ explanation, count }))
    .toSorted((a, b) => b.count - a.count)
}
