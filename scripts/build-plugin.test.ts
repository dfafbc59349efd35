import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { findCopyFaults } from '../test/copy-parity.ts'
import { buildPlugin, CATALOGS, PLUGIN, readPluginFiles } from './build-plugin.ts'
import { compileCatalogue, readCatalogue } from './plugin-languages.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-plugin-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const root = new URL('../', import.meta.url)
const read = (name: string) => fs.readFileSync(new URL(name, root), 'utf8')
const readText = async (name: string) =>
  (await readPluginFiles()).find((file) => file.name === name)!.content.toString()

test('builds the same bytes each time, with the plugin in one folder', async () => {
  const one = fs.readFileSync(await buildPlugin(path.join(folder, 'one')))
  const two = fs.readFileSync(await buildPlugin(path.join(folder, 'two')))
  expect(one.equals(two)).toBe(true)
  for (const { name } of await readPluginFiles()) expect(one.includes(`${PLUGIN}/${name}`)).toBe(true)
})

test('uses the product version everywhere in the plugin', async () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(await readText(`${PLUGIN}.php`)).toContain(`* Version: ${version}\n`)
  expect(await readText('readme.txt')).toContain(`Stable tag: ${version}\n`)
  expect(await readText('src/Plugin.php')).toContain(`VERSION = '${version}'`)
})

test('adds at most three kilobytes to a checkout', async () => {
  const script = await readText('assets/checkout.js')
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(3_072)
})

test('builds a translation template with every text, its places and notes', async () => {
  const template = (await readPluginFiles()).find(({ name }) => name === `languages/${PLUGIN}.pot`)!.content.toString()
  const ids = readCatalogue(template).map(({ id }) => id)
  const german = readCatalogue(await readText(`languages/${PLUGIN}-de_DE.po`)).map(({ id }) => id)
  expect(ids.toSorted()).toEqual(german.toSorted())
  expect(template).toContain('Project-Id-Version: Recoup for WooCommerce 0.2.0')
  expect(template).toMatch(
    /#\. translators: %s: a time such as "5 minutes"\n#: src\/Health\.php:\d+\n#, php-format\nmsgid "%s ago"\nmsgstr ""/,
  )
})

test('has a German translation of every text, and no obsolete ones', async () => {
  const output = new Set<string>()
  for (const { name, content } of await readPluginFiles()) {
    if (!name.endsWith('.php')) continue
    for (const [, text] of content.toString().matchAll(/\b(?:__|esc_html__)\(\s*'((?:[^'\\]|\\.)*)'/g))
      output.add(text!)
  }
  const entries = readCatalogue(await readText(`languages/${PLUGIN}-de_DE.po`)).filter(({ id }) => id !== '')
  expect(new Set(entries.map(({ id }) => id))).toEqual(output)
  const listPlaceholders = (text: string) => (text.match(/%(?:\d\$)?[sd]/g) ?? []).sort()
  for (const { id, text } of entries) expect(listPlaceholders(text), id).toEqual(listPlaceholders(id))
})

test.each(Object.keys(CATALOGS))('has every text that a shopper meets in %s, and no obsolete ones', async (catalog) => {
  const files = await readPluginFiles()
  const findTexts = (isWanted: (name: string) => boolean) =>
    files
      .filter(({ name }) => name.endsWith('.php') && isWanted(name))
      .flatMap(({ content }) => [...content.toString().matchAll(/\b(?:__|esc_html__)\(\s*'((?:[^'\\]|\\.)*)'/g)])
      .map(([, text]) => text!)
  const forShoppers = findTexts((name) => /^src\/(Account|Consent|Refill|Restore)\.php$/.test(name))
  const entries = readCatalogue(await readText(`languages/${PLUGIN}-${catalog}.po`)).filter(({ id }) => id !== '')
  expect(entries.map(({ id }) => id)).toEqual(expect.arrayContaining(forShoppers))
  expect(findTexts(() => true)).toEqual(expect.arrayContaining(entries.map(({ id }) => id)))
  const english = Object.fromEntries(entries.map(({ id }) => [id, id]))
  const translated = Object.fromEntries(entries.map(({ id, text }) => [id, text]))
  expect(findCopyFaults(english, translated, catalog.slice(0, 2))).toEqual([])
  const listPlaceholders = (text: string) => (text.match(/%(?:\d\$)?[sd]/g) ?? []).sort()
  for (const { id, text } of entries) expect(listPlaceholders(text), id).toEqual(listPlaceholders(id))
  for (const locale of CATALOGS[catalog]!)
    expect(files.map(({ name }) => name)).toContain(`languages/${PLUGIN}-${locale}.mo`)
})

test('compiles a catalogue that WordPress can read', () => {
  const source = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgid "Yes"\nmsgstr "Ja"\n\nmsgid "No"\nmsgstr "Nein"\n'
  const compiled = compileCatalogue(source)
  const readText = (slot: number) =>
    compiled.subarray(compiled.readUInt32LE(slot + 4), compiled.readUInt32LE(slot + 4) + compiled.readUInt32LE(slot))
  expect(compiled.readUInt32LE(0)).toBe(0x950412de)
  const ids = [0, 1, 2].map((n) => readText(compiled.readUInt32LE(12) + n * 8).toString())
  const texts = [0, 1, 2].map((n) => readText(compiled.readUInt32LE(16) + n * 8).toString())
  expect(ids).toEqual(['', 'No', 'Yes'])
  expect(texts).toEqual(['Language: de\n', 'Nein', 'Ja'])
})

const run = promisify(execFile)
const canRun = (command: string, ...args: string[]): Promise<boolean> =>
  run(command, args).then(
    () => true,
    () => false,
  )
const hasPhp = await canRun('php', '-r', 'exit((int) !extension_loaded("pdo_sqlite"));')

test.skipIf(!hasPhp || !(await canRun('phpunit', '--version')))('the tests of the plugin pass', async () => {
  const { stdout } = await run('phpunit', ['-c', 'plugin/tests/phpunit.xml'], { cwd: root })
  expect(stdout).toMatch(/^OK \(\d+ tests/m)
})

test.skipIf(!(await canRun('phpcs', '--version')))(
  'the plugin follows PSR-12 and calls only allowed functions',
  async () => {
    const { stdout } = await run('phpcs', ['--standard=plugin/phpcs.xml', '-q'], { cwd: root })
    expect(stdout.trim()).toBe('')
  },
)

test.skipIf(!(await canRun('php', '--version')))('each file of the plugin is valid PHP', async () => {
  const names = (await readPluginFiles()).map(({ name }) => name).filter((name) => name.endsWith('.php'))
  for (const name of names) await run('php', ['-l', `plugin/${PLUGIN}/${name}`], { cwd: root })
})

/** Only `.ci/run` installs these (53 MB). */
const oldPhp = await Promise.all(
  ['@php-wasm/node-7-4', '@php-wasm/universal'].map((name) => import(name).catch(() => null)),
)

test.skipIf(oldPhp.includes(null))('each file of the plugin is valid PHP 7.4', async () => {
  const [loader, universal] = oldPhp
  const php = new universal.PHP(await universal.loadPHPRuntime(await loader.getPHPLoaderModule(), {}))
  const files = (await readPluginFiles()).filter(({ name }) => name.endsWith('.php'))
  const newer = { name: 'newer.php', content: Buffer.from('<?php $a = match (1) { default => 2 };') }
  for (const [index, { content }] of [...files, newer].entries()) php.writeFile(`/tmp/${index}.php`, content)
  const { text } = await php.run({
    code: `<?php echo PHP_VERSION; for ($i = 0; $i <= ${files.length}; $i++) {
      try { token_get_all(file_get_contents("/tmp/$i.php"), TOKEN_PARSE); } catch (ParseError $error) { echo " $i"; } }`,
  })
  php.exit()
  expect(text).toMatch(/^7\.4\./)
  // Only the last file is invalid, which shows that the others were checked.
  expect(text.split(' ').slice(1)).toEqual([String(files.length)])
})
