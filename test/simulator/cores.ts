import { spawnSync } from 'node:child_process'

// A process and its database connections take turns: on one core, neither has to wake the other's.

/** Where there is no `taskset`, or it is not allowed, everything runs where the system puts it. */
export function pinToCore(core: string, pid: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(pid)], { stdio: 'ignore' })
}
