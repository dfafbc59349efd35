// The backup format: a zip that any unzip can read. `backup.json` comes first and describes the backup. `manifest.json`
// comes last and holds each entry's length and SHA-256; without it the backup is incomplete.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { type Readable, Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import yauzl from 'yauzl'
import yazl from 'yazl'
import { z } from 'zod'
import { StartupError } from '../config/public.ts'

/** Format 1 was written by development versions before 0.1.0. Its tables cannot be converted. */
export const BACKUP_FORMAT = 2

const Kind = z.object({ product: z.literal('Recoup'), format: z.number().int() })

const Header = Kind.extend({
  madeAt: z.iso.datetime(),
  /** Version of Recoup that wrote the backup. */
  version: z.string().max(50),
  migrations: z.array(z.object({ name: z.string().max(200), checksum: z.string().max(100) })).max(10_000),
  tables: z.array(z.object({ name: z.string().max(63), columns: z.array(z.string().max(63)).min(1) })).max(2_000),
  sequences: z.array(
    z.object({
      name: z.string().max(63),
      value: z
        .string()
        .regex(/^-?\d{1,19}$/)
        .nullable(),
    }),
  ),
  /** Included unless the environment sets the secret. */
  hasSecret: z.boolean(),
  /** Checks whether a given secret is the one that encrypts the backup's data. */
  secretCheck: z.string().max(100),
})
export type Header = z.infer<typeof Header>

const Manifest = z.record(z.string(), z.object({ bytes: z.number().int(), sha256: z.string() }))
export type Manifest = z.infer<typeof Manifest>

/** Hashes more than the bare secret, so that the value is useless elsewhere. */
export function deriveSecretCheck(secret: string): string {
  return createHash('sha256').update(`recoup backup ${secret}`).digest('base64url')
}

export interface ArchiveWriter {
  add(name: string, content: Readable): Promise<void>
  addText(name: string, content: string): void
  finish(): Promise<void>
}

/** Writes under a temporary name first, so that a file named `file` is always complete. Only its owner can read it. */
export function createArchive(file: string): ArchiveWriter {
  const draft = `${file}.unfinished`
  const zip = new yazl.ZipFile()
  const written = pipeline(zip.outputStream, fs.createWriteStream(draft, { mode: 0o600, flush: true }))
  // Awaited in `finish`. Without this handler a full disk would end the process earlier.
  written.catch(() => {})
  const manifest: Manifest = {}
  return {
    async add(name, content) {
      const counted = countingStream((entry) => {
        manifest[name] = entry
      })
      const copied = pipeline(content, counted.stream)
      zip.addReadStream(counted.stream, name, { mode: 0o100600 })
      await Promise.race([copied, written.then(() => copied)])
    },
    addText: (name, content) => zip.addBuffer(Buffer.from(content), name, { mode: 0o100600 }),
    async finish() {
      zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 1)), 'manifest.json', { mode: 0o100600 })
      zip.end()
      await written
      fs.renameSync(draft, file)
    },
  }
}

/** Passes data through, then reports its length and SHA-256. */
function countingStream(addEntry: (entry: Manifest[string]) => void) {
  const hash = createHash('sha256')
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
    flush(done) {
      addEntry({ bytes, sha256: hash.digest('hex') })
      done()
    },
  })
  return { stream }
}

export interface ArchiveReader {
  header: Header
  /** Streams an entry's content. Fails at the end when its length or hash differs from the manifest. */
  read(name: string): Promise<Readable>
  close(): void
}

const openZip = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)

export async function openArchive(file: string): Promise<ArchiveReader> {
  const zip = await openZip(file, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
    throw new StartupError(`${file} cannot be read as a Recoup backup: ${getErrorMessage(error)}.`)
  })
  try {
    const entries = await readEntries(zip)
    const content = await readText(zip, entries.get('backup.json'))
    assertFormat(parse(Kind, content, file).format, file)
    const header = parse(Header, content, file)
    const manifest = parse(Manifest, await readText(zip, entries.get('manifest.json')), file)
    return { header, read: (name) => readEntry({ zip, entries, manifest, name }), close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

function assertFormat(format: number, file: string): void {
  if (format > BACKUP_FORMAT) throw new StartupError(`${file} was made by a newer Recoup. Restore it with that one.`)
  if (format < BACKUP_FORMAT) {
    throw new StartupError(
      `${file} was made by a development version of Recoup from before 0.1.0, and its tables cannot be taken over. Restore it with the version that made it. Nothing was restored.`,
    )
  }
}

function parse<T>(schema: z.ZodType<T>, content: string | null, file: string): T {
  const parsed = content === null ? null : schema.safeParse(parseJson(content))
  if (!parsed?.success) throw new StartupError(`${file} is not a Recoup backup, or is incomplete.`)
  return parsed.data
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return null
  }
}

async function readEntries(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>()
  zip.on('entry', (entry: yauzl.Entry) => {
    entries.set(entry.fileName, entry)
    zip.readEntry()
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  zip.once('end', resolve).once('error', reject)
  zip.readEntry()
  await promise
  return entries
}

const openEntry = (zip: yauzl.ZipFile, entry: yauzl.Entry) =>
  promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip) as never)(entry)

const MAX_TEXT_BYTES = 50_000_000

async function readText(zip: yauzl.ZipFile, entry: yauzl.Entry | undefined): Promise<string | null> {
  if (!entry || entry.uncompressedSize > MAX_TEXT_BYTES) return null
  return text(await openEntry(zip, entry))
}

interface EntryRequest {
  zip: yauzl.ZipFile
  entries: ReadonlyMap<string, yauzl.Entry>
  manifest: Manifest
  name: string
}

async function readEntry({ zip, entries, manifest, name }: EntryRequest): Promise<Readable> {
  const entry = entries.get(name)
  const expected = manifest[name]
  const damagedError = () =>
    new StartupError(`The backup is damaged: ${name} does not match its checksum. Nothing was restored.`)
  if (!entry || !expected) throw damagedError()
  const hash = createHash('sha256')
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
    flush: (done) => done(hash.digest('hex') === expected.sha256 ? null : damagedError()),
  })
  const content = await openEntry(zip, entry)
  content.once('error', () => check.destroy(damagedError()))
  void finished(content).catch(() => {})
  return content.pipe(check)
}

const getErrorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error))
