import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { buildPlugin } from '../../../scripts/build-plugin.ts'
import { serveZip } from './routes.ts'
import { servedZip } from './zip.ts'

test("the served zip is the built one plus this server's address, with stable bytes", async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'recoup-zip-'))
  const file = await buildPlugin(folder)
  const one = await servedZip('https://recoup.example.com', file)
  const other = await servedZip("https://o'hara.example.com", file)
  const again = await servedZip('https://recoup.example.com', file)
  expect(one).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    requiresPhp: '7.4',
    requiresWordpress: '6.2',
  })
  expect(again!.sha256).toBe(one!.sha256)
  expect(other!.sha256).not.toBe(one!.sha256)
  expect(one!.content.includes("define('RECOUP_URL', 'https://recoup.example.com');")).toBe(true)
  expect(other!.content.includes("define('RECOUP_URL', 'https://o\\'hara.example.com');")).toBe(true)
  // WordPress shows author and link of the plugin.
  expect(one!.content.includes(' * Author: Recoup\n * Author URI: https://recoup.example.com/\n')).toBe(true)
  expect(one!.content.includes(' * Plugin URI: https://recoup.example.com/landing\n')).toBe(true)
  expect(one!.content.includes(' * Update URI: https://recoup-for-woocommerce.invalid/\n')).toBe(true)
  const built = await fs.readFile(file)
  // The signed zip has no links, because it cannot name this server.
  expect(built.includes('Author URI') || built.includes('Plugin URI')).toBe(false)
  // One more file: two zip headers, its name and content.
  expect(one!.content.length - built.length).toBeLessThan(400)
  expect(await servedZip('https://recoup.example.com', path.join(folder, 'none.zip'))).toBeNull()
  await fs.rm(folder, { recursive: true })
})

test('the download names this server, and with ?signed it is the zip as built', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'recoup-zip-'))
  const built = await buildPlugin(folder)
  const app = fastify()
  serveZip(app, { publicUrl: 'https://recoup.example.com' }, built)
  const load = async (query: string) =>
    (await app.inject({ url: `/plugin/${path.basename(built)}${query}` })).rawPayload
  const zip = (await servedZip('https://recoup.example.com', built))!
  expect((await load('')).equals(zip.content)).toBe(true)
  expect((await load('?signed=1')).equals(await fs.readFile(built))).toBe(true)
  await app.close()
  await fs.rm(folder, { recursive: true })
})
