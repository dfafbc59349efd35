import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import nodemailer from 'nodemailer'
import { expect, test } from 'vitest'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { buildReturnPath } from '../email/return-path.ts'
import { listenForBounces } from './bounce-intake.ts'

const CERT = resolve('providers/contracts/localhost.crt.pem')
const OURS = 'bounces@back.example'
const world = createWorld({
  BOUNCE_ADDRESS: OURS,
  BOUNCE_TLS_CERT: CERT,
  BOUNCE_TLS_KEY: resolve('providers/contracts/localhost.key.pem'),
})

test('the intake accepts reports with STARTTLS if it has a certificate, and without', async () => {
  const intake = await listenForBounces(world.deps, 0)
  const to = buildReturnPath(world.deps.secrets, OURS, createId())!
  const send = (tls: object) => {
    const transport = nodemailer.createTransport({ host: 'localhost', port: intake.port, ...tls })
    return transport.sendMail({ envelope: { from: '', to: [to] }, raw: 'Subject: vacation\r\n\r\nBack on Monday.\r\n' })
  }
  try {
    const answer = await send({ requireTLS: true, tls: { ca: readFileSync(CERT, 'utf8') } })
    expect(answer.response).toMatch(/^250/)
    expect((await send({ ignoreTLS: true })).response).toMatch(/^250/)
  } finally {
    await intake.stop()
  }
})
