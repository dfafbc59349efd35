import { Text } from '@mantine/core'
import { describeRunning } from './copy.ts'
import { useExperiments } from './queries.ts'

/** Shown where a campaign is created: the effect of a running control group. Renders nothing without one. */
export function ControlGroupRuns() {
  const running = useExperiments().data?.running
  return running ? <Text fz="sm">{describeRunning(running.sharePercent)}</Text> : null
}
