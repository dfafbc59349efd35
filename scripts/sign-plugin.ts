import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { MOST_SIGNATURES, signedText } from '../server/workspace/plugin-calls/signed-zip.ts'
import { KEY_FILE, PLUGIN, pluginFiles, SIGNATURES, SOURCE, versionOf, zipOf } from './build-plugin.ts'

// `npm run plugin:sign -- key.pem [old-key.pem …]`, on an offline machine of the publisher. Every key signs the plugin's zip. The public half of the
// first becomes a part of the plugin. Shops that have this plugin then accept only versions that this key has signed.

export async function signPlugin(keyFiles: string[], source = SOURCE): Promise<{ version: string; publicKey: string }> {
  const keys = await Promise.all(keyFiles.map(readKey))
  const [publicKey] = keys.map(publicText)
  if (!publicKey) throw new Error('Name the file of the private key: npm run plugin:sign -- key.pem')
  if (keys.length > MOST_SIGNATURES) throw new Error(`A version has at most ${MOST_SIGNATURES} signatures.`)
  const signatureFile = path.join(source, SIGNATURES)
  const retired = await changeKey(path.join(source, KEY_FILE), keys.map(publicText), await readRetired(signatureFile))
  const files = await pluginFiles(source)
  const version = versionOf(files)
  const sha256 = hash('sha256', await zipOf(files))
  const signatures = keys.map((key) => signatureOf(key, version, sha256))
  await writeFile(signatureFile, `${JSON.stringify({ version, sha256, signatures, retired }, null, 2)}\n`)
  return { version, publicKey }
}

async function readKey(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file, 'utf8'))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is not an Ed25519 key.`)
  return key
}

/** 32 bytes in base64: what follows the fixed head of an Ed25519 key in DER. */
export const publicText = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')

export const signatureOf = (key: KeyObject, version: string, sha256: string): string =>
  sign(null, Buffer.from(signedText(version, sha256)), key).toString('base64')

/** The public keys that the plugin had before. */
const readRetired = async (file: string): Promise<string[]> =>
  existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')).retired ?? []) : []

/** Makes the first key the plugin's and returns the retired ones. A wrong order must not bring back an old key, which may be stolen. */
async function changeKey(file: string, keys: string[], retired: string[]): Promise<string[]> {
  const first = keys[0]!
  const known = existsSync(file) ? (await readFile(file, 'utf8')).trim() : first
  if (!keys.includes(known)) {
    throw new Error(
      `The plugin has the public key ${known}, and its private key is not among those named. Shops that have it would refuse this version: name its file, too.`,
    )
  }
  if (retired.includes(first))
    throw new Error(`${first} is an old key of the plugin. Name the file of its newest key first.`)
  await writeFile(file, `${first}\n`)
  return known === first ? retired : [...retired, known]
}

if (import.meta.main) {
  const { version, publicKey } = await signPlugin(process.argv.slice(2))
  console.log(
    `Version ${version} is signed by ${process.argv.slice(2).join(' and ')}. The plugin has the public key ${publicKey}. Commit plugin/signatures.json and plugin/${PLUGIN}/${KEY_FILE}.`,
  )
}
