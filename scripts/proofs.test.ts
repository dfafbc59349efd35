import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Runs `npm run proofs` in a repository with three small parts.

const PARTS = `
const steps = (name) => ({ seed, step }) => ['step.mjs', name, String(seed), String(step)]
export const parts = [
  { name: 'first', what: 'the first', code: ['first/'], command: steps('first') },
  { name: 'second', what: 'the second', code: ['second/'], steps: 3, command: steps('second') },
  { name: 'red', what: 'one that fails', code: ['red/'], command: steps('red') },
  { name: 'idle', what: 'one without its browser', code: ['idle/'], command: steps('idle') },
]`
/** Logs its arguments, and hangs if the file \`hang\` contains its name. */
const STEP = `
import fs from 'node:fs'
const [name, seed, step] = process.argv.slice(2)
fs.appendFileSync('log', name + ' ' + seed + ' ' + step + '\\n')
fs.appendFileSync(process.env.TEST_RECORD, '{"kind":"file","file":"a.test.ts","ms":1,"errors":[]}\\n')
if (fs.existsSync('hang') && fs.readFileSync('hang', 'utf8') === name + ' ' + step) setInterval(() => {}, 1000)
if (name === 'idle') fs.appendFileSync(process.env.TEST_RECORD, '{"kind":"test","state":"skipped","name":"in a browser (left out: there is none) > opens"}\\n')
if (name === 'red') process.exitCode = 1`

let root: string

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-proofs-'))
  write('package.json', '{ "type": "module" }')
  write('.gitignore', 'node_modules\ndist\nlog\nhang\nproofs.json\n')
  for (const name of fs.readdirSync('scripts').filter((file) => file.endsWith('.mjs')))
    write(`scripts/${name}`, fs.readFileSync(`scripts/${name}`, 'utf8'))
  write('proofs/parts.mjs', PARTS)
  write('step.mjs', STEP)
  for (const name of ['first', 'second', 'red', 'idle']) write(`${name}/code`, '1')
  // Skips installing and building.
  write('node_modules/.recoup-lock', sha256(`${process.platform} ${process.arch} `))
  write('dist/web/.built-from', sha256(''))
  fs.mkdirSync(path.join(root, 'node_modules/.bin'))
  fs.symlinkSync(process.execPath, path.join(root, 'node_modules/.bin/node'))
  git('init', '-q')
  commit()
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}

const git = (...args: string[]) =>
  spawnSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: root,
    encoding: 'utf8',
  }).stdout.trim()

function commit(): string {
  git('add', '.')
  git('commit', '-q', '-m', 'change')
  return git('rev-parse', 'HEAD')
}

const start = (args: string[]) =>
  spawn(process.execPath, ['scripts/proofs.mjs', ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })

async function proofs(...args: string[]) {
  const child = start(args)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}

const read = (file: string) =>
  fs.existsSync(path.join(root, file)) ? fs.readFileSync(path.join(root, file), 'utf8') : ''
const log = () => read('log').split('\n').filter(Boolean)
const rows = (): object[] => JSON.parse(read('proofs.json') || '[]')

test('lists the parts without arguments', async () => {
  const { code, output } = await proofs()
  expect(code).toBe(0)
  expect(output).toContain('second            the second\n                  never run, due')
})

test('lists the parts when one is unknown', async () => {
  const { code, output } = await proofs('thrid')
  expect([code, output]).toEqual([1, 'There is no part thrid. Parts: first, second, red, idle\n'])
})

test.each(['SIGKILL', 'SIGTERM'] as const)('continues where it stopped after %s', async (signal) => {
  write('log', '')
  write('hang', 'second 1')
  const child = start(['first', 'second'])
  const ended = new Promise((resolve) => child.once('close', resolve))
  await expect.poll(() => log().length).toBe(3)
  child.kill(signal)
  await ended
  fs.rmSync(path.join(root, 'hang'))
  const seed = log()[1]!.split(' ')[1]
  const { code, output } = await proofs('first', 'second')
  expect(output).toContain(`second: seed ${seed}, from step 2 on`)
  // Times of proofs must not be saved for `npm run near`.
  expect(read('node_modules/.cache/recoup/times.json')).toBe('')
  expect([code, log().slice(1)]).toEqual([0, [0, 1, 1, 2].map((step) => `second ${seed} ${step}`)])
  const at = { commit: git('rev-parse', 'HEAD'), result: 'passed', seconds: expect.any(Number) }
  expect(rows()).toEqual([
    { part: 'first', seed: Number(log()[0]!.split(' ')[1]), ...at },
    { part: 'second', seed: Number(seed), ...at },
  ])
})

test('--changed runs parts with changed code or without a passed result', async () => {
  const { code, output } = await proofs('red', 'idle')
  expect(code).toBe(1)
  expect(output).toContain('Left out: in a browser (left out: there is none)\n')
  expect(rows()).toContainEqual(expect.objectContaining({ part: 'red', result: 'failed' }))
  expect(rows()).toContainEqual(expect.objectContaining({ part: 'idle', result: 'skipped', skipped: 1 }))
  write('log', '')
  write('first/code', '2')
  const head = commit()
  await proofs('--changed')
  expect(log().map((line) => line.split(' ')[0])).toEqual(['first', 'red', 'idle'])
  expect(rows()).toContainEqual(expect.objectContaining({ part: 'first', commit: head }))
})

test('saves no result for uncommitted code', async () => {
  const before = rows()
  write('first/code', '3')
  const { code, output } = await proofs('first')
  expect(code).toBe(0)
  expect(output).toContain('Not written to proofs.json')
  expect(rows()).toEqual(before)
})
