import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openMessages } from '../../../providers/mailbox/messages.ts'
import { openTexts } from '../../../providers/phone/texts.ts'
import { openDatabase } from '../../../providers/woocommerce/sqlite.ts'
import { openDataDir } from './data-dir.ts'

const isRoot = process.getuid?.() === 0
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-data-dir-'))
afterAll(() => fs.rmSync(scratch, { recursive: true }))
const getMode = (...parts: string[]) => fs.statSync(path.join(scratch, ...parts)).mode & 0o777

const skip = process.platform === 'win32'

test.skipIf(skip)('a new data folder is closed to other users of the machine', () => {
  openDataDir(path.join(scratch, 'new', 'data'))
  expect(getMode('new', 'data') & (isRoot ? 0o067 : 0o077)).toBe(0)
})

test.skipIf(skip)('a data folder open to other users is closed together with its files', () => {
  const files = ['app-secret', 'mailbox.sqlite', 'mailbox.sqlite-wal', 'phones.sqlite', 'demo-store.sqlite-shm']
  fs.mkdirSync(path.join(scratch, 'old', 'postgres'), { recursive: true })
  for (const name of files) fs.writeFileSync(path.join(scratch, 'old', name), 'x')
  for (const name of files) fs.chmodSync(path.join(scratch, 'old', name), 0o644)
  fs.chmodSync(path.join(scratch, 'old'), 0o711)
  openDataDir(path.join(scratch, 'old'))
  expect(getMode('old') & (isRoot ? 0o067 : 0o077)).toBe(0)
  expect(files.map((name) => [name, getMode('old', name)])).toEqual(files.map((name) => [name, 0o600]))
})

test.skipIf(skip)('a folder that holds other files keeps its permissions', () => {
  const shared = path.join(scratch, 'shared')
  fs.mkdirSync(shared)
  fs.writeFileSync(path.join(shared, 'something-else'), '')
  fs.chmodSync(shared, 0o755)
  openDataDir(shared)
  expect(getMode('shared')).toBe(0o755)
})

test.skipIf(skip)('mail, texts and the demo store are readable by their owner only', () => {
  const file = (name: string) => path.join(scratch, name)
  fs.writeFileSync(file('mail.sqlite'), '', { mode: 0o644 })
  const [mail, texts, store] = [
    openMessages(file('mail.sqlite')),
    openTexts(file('texts.sqlite')),
    openDatabase(file('store.sqlite')),
  ]
  const names = fs.readdirSync(scratch).filter((name) => name.includes('.sqlite'))
  expect(names).toContain('mail.sqlite-wal')
  expect(names.map((name) => [name, getMode(name)])).toEqual(names.map((name) => [name, 0o600]))
  mail.close()
  texts.close()
  store.sqlite.close()
})
