import fs from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { mutations } from './mutations.ts'

// Changes the engine's source while it is loaded, in a process that only simulates. Files stay unchanged.

export const ROOT = new URL('../../', import.meta.url)

/** Call before any module of the engine is imported. */
export function mutate(name: string): void {
  const mutation = mutations.find((each) => each.name === name)
  if (!mutation) throw new Error(`no mutation is called ${name}`)
  const target = new URL(mutation.file, ROOT).href
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (url !== target) return loaded
      return { ...loaded, source: patchSource(String(loaded.source), mutation) }
    },
  })
}

/** Throws unless the old text occurs exactly once: when the engine changes, the mutation has to follow. */
export function patchSource(
  source: string,
  { name, before, after }: { name: string; before: string; after: string },
): string {
  const count = source.split(before).length - 1
  if (count !== 1) throw new Error(`mutation "${name}": its text is in the file ${count} times, not once`)
  return source.replace(before, () => after)
}

export const readSource = (file: string): string => fs.readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8')
