import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from './core/config/config.ts'
import { type DemoInstance, startDemo } from './demo.ts'
import type { Deps } from './deps.ts'

const PORTS = { mailboxPort: 0, mailboxSmtpPort: 0, demoStorePort: 0, demoShopifyPort: 0 }
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-demo-'))
let demo: DemoInstance | undefined

afterEach(async () => {
  await demo?.stop()
  demo = undefined
})

const open = async (env: Record<string, string>) => {
  demo = await startDemo({ ...readConfig(env), dataDir, ...PORTS })
  return demo
}

/** On Linux all of 127/8 is this machine: what listens on every address answers there, what listens on 127.0.0.1 does not. */
const answersAt = (host: string, url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ host, port: Number(new URL(url).port), timeout: 2_000 })
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })

test.skipIf(process.platform !== 'linux')(
  'mailbox, phones and demo stores listen on this machine only, whatever HOST says (decision 29)',
  async () => {
    const env = { HOST: '0.0.0.0', DEMO: 'on', DEMO_SHOPIFY: 'on' }
    const { mailboxUrl, smtpUrl, phoneUrl, parts } = await open(env)
    for (const url of [mailboxUrl!, smtpUrl!, phoneUrl!, parts!.storeUrl, parts!.shopify!.storeUrl]) {
      expect([url, await answersAt('127.0.0.1', url)]).toEqual([url, true])
      expect([url, await answersAt('127.0.0.2', url)]).toEqual([url, false])
    }
  },
)

test.skipIf(process.platform !== 'linux')(
  'DEMO_HOST opens mailbox and demo stores to the network of a container, under the same addresses',
  async () => {
    const { mailboxUrl, smtpUrl, parts } = await open({ DEMO: 'on', DEMO_SHOPIFY: 'on', DEMO_HOST: '0.0.0.0' })
    for (const url of [mailboxUrl!, parts!.storeUrl, parts!.shopify!.storeUrl]) {
      expect([url, await answersAt('127.0.0.2', url)]).toEqual([
        expect.stringMatching(/^http:\/\/localhost:\d+$/),
        true,
      ])
    }
    expect(smtpUrl).toMatch(/^smtp:\/\/127\.0\.0\.1:/)
  },
)

test('the Shopify demo store runs only if it is configured', async () => {
  expect((await open({ DEMO: 'on' })).parts?.shopify).toBeNull()
})

test('a public installation without a mail server opens no mailbox (decision 29)', async () => {
  expect(await open({ HOST: '0.0.0.0' })).toMatchObject({ mailboxUrl: null, smtpUrl: null, phoneUrl: null })
})

test('the mailbox replaces a missing mail server in local mode', async () => {
  expect((await open({ DEMO: 'off' })).mailboxUrl).toMatch(/^http:\/\/localhost:/)
})

test('only the process that writes the demo history reports its progress', async () => {
  const { parts } = await open({ DEMO: 'on' })
  expect(parts!.past({ demo: parts } as Deps)).toEqual({ isBeingWritten: true, percent: null })
  await demo!.stop()
  const { parts: ofWeb } = await open({ DEMO: 'on', ROLES: 'web' })
  expect(ofWeb!.past({ demo: ofWeb } as Deps).isBeingWritten).toBe(false)
})

test('the demo is ready once its store has the account’s script and push', async () => {
  const { parts } = await open({ DEMO: 'on' })
  parts!.setCapture({ scriptUrl: 'http://localhost:3000/capture/a.js', storeKey: 'a' })
  expect(parts!.isReady()).toBe(false)
  parts!.setPush({ head: '', workerUrl: 'http://localhost:3000/push/sw.js' })
  expect(parts!.isReady()).toBe(true)
})
