import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buildSignedText, MAX_SIGNATURES } from '../server/workspace/plugin-calls/signed-zip.ts'
import { buildZip, KEY_FILE, PLUGIN, readPluginFiles, readVersion, SIGNATURES, SOURCE } from './build-plugin.ts'

// `npm run plugin:sign -- key.pem [old-key.pem …]`, on an offline machine of the publisher. Every key signs the
// plugin's zip. The first key's public half becomes part of the plugin. Shops with this plugin then accept only
// versions that this key has signed.

export async function signPlugin(keyFiles: string[], source = SOURCE): Promise<{ version: string; publicKey: string }> {
  const keys = await Promise.all(keyFiles.map(readKey))
  const [publicKey] = keys.map(encodePublicKey)
  if (!publicKey) throw new Error('Name the file of the private key: npm run plugin:sign -- key.pem')
  if (keys.length > MAX_SIGNATURES) throw new Error(`A version has at most ${MAX_SIGNATURES} signatures.`)
  const signatureFile = path.join(source, SIGNATURES)
  const retired = await changeKey(
    path.join(source, KEY_FILE),
    keys.map(encodePublicKey),
    await readRetired(signatureFile),
  )
  const files = await readPluginFiles(source)
  const version = readVersion(files)
  const sha256 = hash('sha256', await buildZip(files))
  const signatures = keys.map((key) => createSignature(key, version, sha256))
  await writeFile(signatureFile, `${JSON.stringify({ version, sha256, signatures, retired }, null, 2)}\n`)
  return { version, publicKey }
}

async function readKey(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file, 'utf8'))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is not an Ed25519 key.`)
  return key
}

/** The last 32 bytes of an Ed25519 key in DER, in base64. */
export const encodePublicKey = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')

export const createSignature = (key: KeyObject, version: string, sha256: string): string =>
  sign(null, Buffer.from(buildSignedText(version, sha256)), key).toString('base64')

/** Earlier public keys of the plugin. */
const readRetired = async (file: string): Promise<string[]> =>
  existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')).retired ?? []) : []

/** Sets the plugin's key to the first one and returns the retired keys. Rejects a retired key, which may be stolen. */
async function changeKey(file: string, keys: string[], retired: string[]): Promise<string[]> {
  const first = keys[0]!
  const known = existsSync(file) ? (await readFile(file, 'utf8')).trim() : first
  if (!keys.includes(known)) {
    throw new Error(
      `The plugin has the public key ${known}, and none of the given files is its private key. Shops with that key would reject this version: name its file, too.`,
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
