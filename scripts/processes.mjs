// The processes of a run of the tests: the one that asks, those started with the run's folder in their environment, and those that work in it
// (PostgreSQL, which is started without our environment). Linux only; elsewhere there are none to be seen.

import fs from 'node:fs'

const TICKS_PER_SECOND = 100
const EVERY_MS = 1_000

/** `times`: seconds of processor time, of children that have ended too. */
export function processesOf(folder, known = new Map()) {
  if (!fs.existsSync('/proc/self/stat')) return []
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`)
      if (!stat) return []
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const key = `${name} ${fields[19]}`
      if (!known.has(key)) known.set(key, Number(name) === process.pid || isOf(folder, name, Number(fields[1])))
      const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
      const isZombie = fields[0] === 'Z'
      return known.get(key) ? [{ key, pid: Number(name), parent: Number(fields[1]), seconds, isZombie }] : []
    })
}

/** Chromium overwrites the environment of its pages' processes: theirs is that of a parent. */
function isOf(folder, pid, parent = 0) {
  if (read(`/proc/${pid}/environ`)?.includes(`TEST_RUN_FOLDER=${folder}\0`)) return true
  try {
    if (`${fs.readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) return true
  } catch {
    // It has ended.
  }
  return parent > 1 && isOf(folder, parent, parentOf(parent))
}

export const commandOf = (pid) => (read(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim().slice(0, 200)

function parentOf(pid) {
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
 * Adds up the processor time of a run. A process that ends hands its time on to its parent; of one whose parent is no part of the run, what
 * was last seen counts. What this process used before is left out. `stop` returns seconds, or null where it cannot be measured.
 */
export function startMeter(folder) {
  const known = new Map()
  let before = new Map()
  const own = processesOf(folder, known).find(({ pid }) => pid === process.pid)
  let lost = -(own?.seconds ?? 0)
  const look = () => {
    const now = new Map(processesOf(folder, known).map((each) => [each.key, each]))
    const pids = new Set([...now.values(), ...before.values()].map(({ pid }) => pid))
    for (const [key, { parent, seconds }] of before) if (!now.has(key) && !pids.has(parent)) lost += seconds
    before = now
  }
  const timer = setInterval(look, EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      look()
      const living = [...before.values()].reduce((sum, { seconds }) => sum + seconds, 0)
      return before.size > 0 ? lost + living : null
    },
  }
}

/** Kills what a run has left running and removes its folder. Returns what was still there. */
export function endRun(folder) {
  const left = processesOf(folder).filter(({ pid, isZombie }) => pid !== process.pid && !isZombie)
  const commands = left.map(({ pid }) => commandOf(pid)).filter(Boolean)
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  return commands
}
