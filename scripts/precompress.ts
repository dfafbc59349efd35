import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(js|css|html|svg|json|txt|xml|webmanifest)$/
/** Smaller files fit one packet uncompressed. */
const MIN_BYTES = 1_024

/**
 * Writes a `.br` and a `.gz` file for every text file of the build, so that the server compresses nothing at run time.
 */
export function precompress(): Plugin {
  let outDir = ''
  let hasFailed = false
  return {
    name: 'recoup:precompress',
    apply: 'build',
    configResolved: (config) => {
      outDir = path.resolve(config.root, config.build.outDir)
    },
    buildEnd: (error) => {
      hasFailed = error !== undefined
    },
    // Runs after all files are written, including `public/`. After a failed build there are none; only its error should
    // be shown.
    closeBundle: async () => {
      if (hasFailed) return
      const names = await readdir(outDir, { recursive: true })
      await Promise.all(
        names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(path.join(outDir, name))),
      )
    },
  }
}

async function compress(file: string): Promise<void> {
  if ((await stat(file)).size < MIN_BYTES) return
  const text = await readFile(file)
  const [br, gz] = await Promise.all([toBrotli(text), toGzip(text)])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}

/** Highest quality, because files are compressed once and sent often. */
export const toBrotli = (text: Buffer): Promise<Buffer> =>
  promisify(brotliCompress)(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
  })

export const toGzip = (text: Buffer): Promise<Buffer> => promisify(gzip)(text, { level: 9 })
