import { Text } from '@mantine/core'
import { useExperiments } from './queries.ts'
import { runningWords } from './words.ts'

/** Where a campaign begins: what a control group that runs means for it. Nothing while none runs. */
export function ControlGroupRuns() {
  const running = useExperiments().data?.running
  return running ? <Text fz="sm">{runningWords(running.sharePercent)}</Text> : null
}
