// The processes of a test run: this one, those with the run's folder in their environment, and those whose working
// directory is in it (PostgreSQL, which starts with its own environment). Linux only; other systems report none.

import fs from 'node:fs'

const TICKS_PER_SECOND = 100
const EVERY_MS = 1_000

/** `seconds`: processor time, including ended children. */
export function listRunProcesses(folder, known = new Map()) {
  if (!fs.existsSync('/proc/self/stat')) return []
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`)
      if (!stat) return []
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const key = `${name} ${fields[19]}`
      if (!known.has(key)) known.set(key, Number(name) === process.pid || belongsToRun(folder, name, Number(fields[1])))
      const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
      const isZombie = fields[0] === 'Z'
      return known.get(key) ? [{ key, pid: Number(name), parent: Number(fields[1]), seconds, isZombie }] : []
    })
}

/** Also checks the parents, because Chromium overwrites the environment of its page processes. */
function belongsToRun(folder, pid, parent = 0) {
  if (read(`/proc/${pid}/environ`)?.includes(`TEST_RUN_FOLDER=${folder}\0`)) return true
  try {
    if (`${fs.readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) return true
  } catch {
    // The process has ended.
  }
  return parent > 1 && belongsToRun(folder, parent, readParent(parent))
}

export const readCommand = (pid) => (read(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim().slice(0, 200)

function readParent(pid) {
  const stat = read(`/proc/${pid}/stat`)
  return stat ? Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) : 0
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/**
 * Measures the processor time of a run. An ended process adds its time to its parent. If the parent is not part of the
 * run, the last sample counts. Excludes earlier time of this process. `stop` returns seconds, or null if it cannot be
 * measured.
 */
export function startMeter(folder) {
  const known = new Map()
  let before = new Map()
  const own = listRunProcesses(folder, known).find(({ pid }) => pid === process.pid)
  let lost = -(own?.seconds ?? 0)
  const sample = () => {
    const now = new Map(listRunProcesses(folder, known).map((each) => [each.key, each]))
    const pids = new Set([...now.values(), ...before.values()].map(({ pid }) => pid))
    for (const [key, { parent, seconds }] of before) if (!now.has(key) && !pids.has(parent)) lost += seconds
    before = now
  }
  const timer = setInterval(sample, EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      sample()
      const living = [...before.values()].reduce((sum, { seconds }) => sum + seconds, 0)
      return before.size > 0 ? lost + living : null
    },
  }
}

/** Kills a run's remaining processes and removes its folder. Returns their commands. */
export function endRun(folder) {
  const remaining = listRunProcesses(folder).filter(({ pid, isZombie }) => pid !== process.pid && !isZombie)
  const commands = remaining.map(({ pid }) => readCommand(pid)).filter(Boolean)
  for (const { pid } of remaining) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has ended meanwhile.
    }
  }
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  return commands
}
