import { createTransport } from 'nodemailer'
import { createSmtpChannel } from '../server/channels/smtp.ts'
import { sendDue } from '../server/messages/deliver.ts'
import type { Bench, Figure } from './figures.ts'
import { type Helper, type SinkTally, startSink } from './helpers.ts'
import type { House, Lab } from './lab.ts'
import { median, timed } from './measure.ts'

// Method: a store has thousands of mails due; `sendDue` sends them all through the SMTP channel into a sink in a process of its
// own: fence, claim, decision, rendering, hand-over, outcome, next steps, each committed with fsync. The ceiling is nodemailer's
// own pool of as many connections, given the very subjects, texts, recipients and headers that the first had kept, composing
// them with the same encoding into the same sink, without a database. Three rounds of both in turn; medians.

const POOL = 5
const ROUNDS = 3

export const bench: Bench = { name: 'send', run }

async function run(lab: Lab): Promise<Figure[]> {
  const house = await lab.open()
  const sink = await startSink()
  const ours: number[] = []
  const bare: number[] = []
  let bytes = 0
  try {
    await warmUp(house, sink)
    for (let round = 0; round < ROUNDS; round++) {
      const { storeId, rate, bytesPerMail } = await sendThroughWayC(house, sink, lab.sized(3_000))
      ours.push(rate)
      bytes = bytesPerMail
      bare.push(await sendBare(house, sink, storeId))
    }
  } finally {
    await sink.stop()
    await house.close()
  }
  return [
    {
      name: 'messages through the whole of Way C',
      value: median(ours),
      unit: '/s',
      ceiling: { name: 'bare pooled nodemailer', value: median(bare) },
      goal: { atLeast: 0.8, of: 'ceiling' },
      note: `${Math.round(bytes / 1000)} KB each, pool of ${POOL}, rounds ${ours.map(Math.round).join(', ')}`,
    },
  ]
}

const warmUp = (house: House, sink: Helper) => sendThroughWayC(house, sink, 200)

async function sendThroughWayC(house: House, sink: Helper, count: number) {
  const store = await house.store()
  await house.carts(store, { count, ready: count })
  const email = createSmtpChannel({ url: `smtp://127.0.0.1:${sink.port}`, poolSize: POOL })
  const before = await sink.ask<SinkTally>({})
  const ms = await timed(() =>
    sendDue({ ...house.deps, channels: { email, demoEmail: email } }, { storeId: store.storeId }),
  )
  const after = await sink.ask<SinkTally>({})
  await email.close()
  const mails = after.mails - before.mails
  if (mails !== count) throw new Error(`${mails} of ${count} mails arrived`)
  return { storeId: store.storeId, rate: (count / ms) * 1_000, bytesPerMail: (after.bytes - before.bytes) / mails }
}

async function sendBare(house: House, sink: Helper, storeId: string): Promise<number> {
  const rows = await house.db
    .selectFrom('messages')
    .select(['id', 'to_address', 'subject', 'body_html', 'body_text'])
    .where('store_id', '=', storeId)
    .where('state', '=', 'sent')
    .execute()
  const transport = createTransport({
    host: '127.0.0.1',
    port: sink.port,
    pool: true,
    maxConnections: POOL,
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
