import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// Lists the functions with the largest self time in a benchmark's process.

interface Node {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number }
}

interface Profile {
  nodes: Node[]
  samples: number[]
  timeDeltas: number[]
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Returns the lines to print for a folder's profiles and empties the folder. */
export function listTopLines(folder: string, count = 25): string[] {
  const spent = new Map<string, number>()
  let total = 0
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Profile
    const names = new Map(profile.nodes.map((node) => [node.id, formatName(node)]))
    for (const [index, id] of profile.samples.entries()) {
      const label = names.get(id)!
      if (label.startsWith('(idle)')) continue
      spent.set(label, (spent.get(label) ?? 0) + profile.timeDeltas[index]!)
      total += profile.timeDeltas[index]!
    }
  }
  rmSync(folder, { recursive: true })
  const sorted = [...spent].sort(([, a], [, b]) => b - a).slice(0, count)
  return sorted.map(([label, micros]) => `${((100 * micros) / total).toFixed(1).padStart(5)} %  ${label}`)
}

function formatName({ callFrame }: Node): string {
  const file = callFrame.url.startsWith('file:')
    ? path.relative(ROOT, fileURLToPath(callFrame.url)).replace(/^node_modules\//, '')
    : callFrame.url
  return `${callFrame.functionName || '(anonymous)'} ${file}${file ? `:${callFrame.lineNumber + 1}` : ''}`
}
