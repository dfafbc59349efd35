import { createPrivateKey, generateKeyPairSync, hash } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getSignatureFile, isSignedWith, readSignatures } from '../server/workspace/plugin-calls/signed-zip.ts'
import { offeredUpdate, servedZip } from '../server/workspace/plugin-calls/zip.ts'
import { buildPlugin, KEY_FILE, PLUGIN, SIGNATURES, SOURCE } from './build-plugin.ts'
import { createSignature, encodePublicKey, signPlugin } from './sign-plugin.ts'

const RECOUP = 'https://recoup.example.com'

const home = await fs.mkdtemp(path.join(os.tmpdir(), 'recoup-sign-'))
afterAll(() => fs.rm(home, { recursive: true }))
const source = path.join(home, 'plugin', PLUGIN)
const sourcePath = (name: string) => path.join(source, name)

/** Ed25519 signatures are deterministic, so plugin/tests/UpdateTest.php contains signatures of these keys. */
const createKey = (byte: number) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  })
const [OLD, NEW] = [createKey(1), createKey(2)]

async function writeKeyFile(key: typeof OLD): Promise<string> {
  const file = path.join(home, `${hash('sha256', encodePublicKey(key))}.pem`)
  await fs.writeFile(file, key.export({ type: 'pkcs8', format: 'pem' }))
  return file
}
const [oldFile, newFile] = [await writeKeyFile(OLD), await writeKeyFile(NEW)]

beforeEach(async () => {
  await fs.rm(path.join(home, 'plugin'), { recursive: true, force: true })
  await fs.cp(SOURCE, source, { recursive: true })
  for (const name of [KEY_FILE, SIGNATURES]) await fs.rm(sourcePath(name), { force: true })
})

async function setVersion(version: string): Promise<void> {
  const main = sourcePath(`${PLUGIN}.php`)
  await fs.writeFile(main, (await fs.readFile(main, 'utf8')).replace(/^ \* Version: .*$/m, ` * Version: ${version}`))
}

async function build() {
  const file = await buildPlugin(await fs.mkdtemp(path.join(home, 'dist-')), source)
  return { file, zip: await fs.readFile(file), offer: await offeredUpdate(RECOUP, '0.0.1', file) }
}

/** Checks like a plugin with this key: the offer has a signature of the downloaded bytes. */
async function isAcceptedBy(key: typeof OLD, { file, offer }: Awaited<ReturnType<typeof build>>): Promise<boolean> {
  const { built } = (await servedZip(RECOUP, file))!
  return (
    offer?.signed !== undefined &&
    offer.signed.sha256 === hash('sha256', built) &&
    isSignedWith(encodePublicKey(key), { version: offer.version, ...offer.signed })
  )
}

test('matches the signatures in the plugin’s tests', () => {
  const signed = [OLD, NEW].map((key) => createSignature(key, '9.0.0', hash('sha256', 'the zip')))
  expect([...[OLD, NEW].map(encodePublicKey), ...signed]).toEqual([
    'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=',
    'gTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/Js5Q=',
    'V5j+hzi+hNgo/dBm3y49mQymXr5uzo10r/h+WUzhNJB9hoaVCBZtDBIqAA04V4rqjxu20Wfl3fz3J+EgRirjBA==',
    '1oRh6jD5bhDwcauIeyUEGa43KGF0BIIcWVlkyAreI1cmam9kWLSiHn0jHSufhIKtWDnQrAmCvq2s7VwWxK4ABw==',
  ])
})

test('includes the public key in a signed build and offers its signature', async () => {
  await signPlugin([oldFile], source)
  const built = await build()
  expect(built.zip.includes(`${PLUGIN}/${KEY_FILE}`)).toBe(true)
  expect(built.zip.includes(encodePublicKey(OLD))).toBe(true)
  expect((await servedZip(RECOUP, built.file))!.built.equals(built.zip)).toBe(true)
  expect([await isAcceptedBy(OLD, built), await isAcceptedBy(NEW, built)]).toEqual([true, false])
})

test('signs every byte of the zip and its version', async () => {
  await signPlugin([oldFile], source)
  const { zip, file } = await build()
  const signed = (await readSignatures(getSignatureFile(file), zip))!
  const changed = Buffer.from(zip)
  changed[1_000]! ^= 1
  expect(await readSignatures(getSignatureFile(file), changed)).toBeNull()
  expect(isSignedWith(encodePublicKey(OLD), signed)).toBe(true)
  expect(isSignedWith(encodePublicKey(OLD), { ...signed, sha256: hash('sha256', changed) })).toBe(false)
  expect(isSignedWith(encodePublicKey(OLD), { ...signed, version: '9.9.9' })).toBe(false)
  for (const key of ['', 'x', encodePublicKey(NEW)]) expect(isSignedWith(key, signed)).toBe(false)
  for (const text of ['', '{', '{}', JSON.stringify({ ...signed, signatures: [] })]) {
    await fs.writeFile(getSignatureFile(file), text)
    expect(await readSignatures(getSignatureFile(file), zip)).toBeNull()
  }
})

test('accepts an update from a shop that skipped a key change while the old key signs too', async () => {
  await signPlugin([oldFile], source)
  await setVersion('9.0.0')
  await expect(signPlugin([newFile], source)).rejects.toThrow(encodePublicKey(OLD))
  await signPlugin([newFile, oldFile], source)
  const first = await build()
  expect(first.zip.includes(encodePublicKey(NEW)) && !first.zip.includes(encodePublicKey(OLD))).toBe(true)
  expect([await isAcceptedBy(OLD, first), await isAcceptedBy(NEW, first)]).toEqual([true, true])
  // A shop with the old key did not install 9.0.0.
  await setVersion('9.1.0')
  await expect(signPlugin([oldFile, newFile], source)).rejects.toThrow(`${encodePublicKey(OLD)} is an old key`)
  await signPlugin([newFile, oldFile], source)
  await expect(signPlugin([oldFile, newFile], source)).rejects.toThrow('is an old key')
  const second = await build()
  expect([await isAcceptedBy(OLD, second), await isAcceptedBy(NEW, second)]).toEqual([true, true])
  await setVersion('9.2.0')
  await signPlugin([newFile], source)
  const third = await build()
  expect([await isAcceptedBy(OLD, third), await isAcceptedBy(NEW, third)]).toEqual([false, true])
})

afterEach(() => vi.restoreAllMocks())

test('builds without a key and warns if no signature is valid', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  await build()
  await signPlugin([oldFile], source)
  await build()
  expect(warn).not.toHaveBeenCalled()
  await fs.appendFile(sourcePath('readme.txt'), '\n')
  const changed = await build()
  expect(changed.zip.includes(encodePublicKey(OLD))).toBe(false)
  expect(changed.offer).toMatchObject({ sha256: expect.any(String) })
  expect(changed.offer).not.toHaveProperty('signed')
  expect(warn).toHaveBeenLastCalledWith(expect.stringContaining('signatures.json is not about these files'))
  await signPlugin([oldFile], source)
  expect((await build()).zip.includes(encodePublicKey(OLD))).toBe(true)
  const signed = JSON.parse(await fs.readFile(sourcePath(SIGNATURES), 'utf8'))
  const byOther = { ...signed, signatures: [createSignature(NEW, signed.version, signed.sha256)] }
  await fs.writeFile(sourcePath(SIGNATURES), JSON.stringify(byOther))
  const refused = await build()
  expect(refused.zip.includes(encodePublicKey(OLD))).toBe(false)
  expect(refused.offer).not.toHaveProperty('signed')
  expect(warn).toHaveBeenLastCalledWith(expect.stringContaining('no signature of this version by the key'))
  await fs.rm(sourcePath(SIGNATURES))
  expect((await build()).zip.includes(encodePublicKey(OLD))).toBe(false)
  expect(warn).toHaveBeenLastCalledWith(expect.stringContaining('signatures.json is missing'))
})

test('excludes files of editors and file managers', async () => {
  await signPlugin([oldFile], source)
  for (const name of ['.DS_Store', 'src/.Update.php.swp', 'readme.txt~']) await fs.writeFile(sourcePath(name), 'x')
  const built = await build()
  expect(await isAcceptedBy(OLD, built)).toBe(true)
  expect(built.zip.includes('.DS_Store')).toBe(false)
})

test('rejects a wrong key with the reason', async () => {
  await expect(signPlugin([], source)).rejects.toThrow('private key')
  await expect(signPlugin([path.join(home, 'none.pem')], source)).rejects.toThrow('ENOENT')
  await expect(signPlugin(Array(9).fill(oldFile), source)).rejects.toThrow('at most 8')
  const other = path.join(home, 'rsa.pem')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  await fs.writeFile(other, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await expect(signPlugin([other], source)).rejects.toThrow('not an Ed25519 key')
})
