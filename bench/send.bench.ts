import { createTransport } from 'nodemailer'
import { createSmtpChannel } from '../server/email/smtp.ts'
import { sendDue } from '../server/send/deliver.ts'
import type { Bench, Figure } from './figures.ts'
import { type Helper, type SinkTally, startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { median, timed } from './measure.ts'

// Method: a store has thousands of mails due; `sendDue` sends them all through the SMTP channel into a sink in a process of its
// own: order check, claim, decision, rendering, send, outcome, next steps, each committed with fsync. The ceiling is nodemailer's
// own pool of as many connections, given the very subjects, texts, recipients and headers that the first had kept, composing
// them with the same encoding into the same sink, without a database. Three rounds of both in turn; medians. Once with a pool of
// five, as we come, and once of twenty: at most the pool may be in flight (D10), so it bounds how many mails share
// a commit.

const POOLS = [5, 20]
/** Of the ceiling, by pool. */
const GOALS: Record<number, number> = { 5: 1, 20: 1.3 }
const ROUNDS = 3

export const bench: Bench = { name: 'send', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  const sink = await startSink()
  try {
    await sendThroughWayC(instance, sink, { count: 200, pool: POOLS[0]! })
    const figures: Figure[] = []
    for (const pool of POOLS) figures.push(await compared(lab, instance, sink, pool))
    return figures
  } finally {
    await sink.stop()
    await instance.close()
  }
}

async function compared(lab: Lab, instance: AppInstance, sink: Helper, pool: number): Promise<Figure> {
  const ours: number[] = []
  const bare: number[] = []
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { storeId, rate, bytesPerMail } = await sendThroughWayC(instance, sink, { count: lab.sized(2_000), pool })
    ours.push(rate)
    bytes = bytesPerMail
    bare.push(await sendBare(instance, sink, { storeId, pool, most: lab.sized(2_000) }))
  }
  return {
    name: `messages through the whole of Way C, pool of ${pool}`,
    value: median(ours),
    unit: '/s',
    ceiling: { name: 'bare pooled nodemailer', value: median(bare) },
    goal: { atLeast: GOALS[pool]!, of: 'ceiling' },
    note: `${Math.round(bytes / 1000)} KB each, rounds ${ours.map(Math.round).join(', ')}`,
  }
}

async function sendThroughWayC(instance: AppInstance, sink: Helper, { count, pool }: { count: number; pool: number }) {
  const store = await instance.store()
  await instance.carts(store, { count, ready: count })
  const email = createSmtpChannel({ url: `smtp://127.0.0.1:${sink.port}`, poolSize: pool })
  const before = await sink.ask<SinkTally>({})
  const ms = await timed(() =>
    sendDue({ ...instance.deps, channels: { ...instance.deps.channels, email } }, { storeId: store.storeId }),
  )
  const after = await sink.ask<SinkTally>({})
  await email.close()
  const mails = after.mails - before.mails
  if (mails !== count) throw new Error(`${mails} of ${count} mails arrived`)
  return { storeId: store.storeId, rate: (count / ms) * 1_000, bytesPerMail: (after.bytes - before.bytes) / mails }
}

/** Mails a second of what was sent of this store, as far as `most`. */
export async function sendBare(
  instance: AppInstance,
  sink: Helper,
  { storeId, pool, most }: { storeId: string; pool: number; most: number },
): Promise<number> {
  const rows = await instance.db
    .selectFrom('messages')
    .select(['id', 'to_address', 'subject', 'body_html', 'body_text'])
    .where('store_id', '=', storeId)
    .where('state', '=', 'sent')
    .limit(most)
    .execute()
  const transport = createTransport({
    host: '127.0.0.1',
    port: sink.port,
    pool: true,
    maxConnections: pool,
    maxMessages: 100,
    ignoreTLS: true,
  })
  const unsubscribe = `<https://recoup.example.com/u/${'t'.repeat(43)}>`
  const ms = await timed(() =>
    Promise.all(
      rows.map((row) =>
        transport.sendMail({
          from: { name: 'Tea & Co', address: 'recoup@localhost' },
          to: row.to_address!,
          subject: row.subject!,
          html: row.body_html!,
          text: row.body_text!,
          messageId: `<${row.id}@localhost>`,
          textEncoding: 'base64',
          headers: [
            { key: 'List-Unsubscribe', value: unsubscribe },
            { key: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
          ],
        }),
      ),
    ),
  )
  transport.close()
  return (rows.length / ms) * 1_000
}
