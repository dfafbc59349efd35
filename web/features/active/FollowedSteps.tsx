import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Outcome, Thread } from '../../core/ui/Thread.tsx'
import { type FollowedStep, findCurrentStep, type StepName } from './followed.ts'
import { Until } from './Until.tsx'

const outcomes: Record<FollowedStep['state'], Outcome> = {
  done: 'done',
  now: 'waiting',
  later: 'ahead',
  problem: 'held',
}

interface Props {
  steps: FollowedStep[]
  aheadMs: number
  /** Action of a step that is next or failed. */
  stepActions: Partial<Record<StepName, ReactNode>>
}

/** The steps as a thread, and below it what to do now. */
export function FollowedSteps({ steps, aheadMs, stepActions }: Props) {
  const current = findCurrentStep(steps)
  return (
    <div className="followed">
      <Thread
        label="Steps"
        stations={steps.map((step) => ({
          key: step.name,
          label: step.title,
          outcome: step.name === 'bought' && step.state === 'done' ? 'won' : outcomes[step.state],
          detail: <Detail step={step} aheadMs={aheadMs} />,
        }))}
      />
      {current && (
        <div className="followed-now">
          {current.state === 'now' && <Text fz="sm">{current.text}</Text>}
          {stepActions[current.name]}
        </div>
      )}
    </div>
  )
}

function Detail({ step: { state, text, at }, aheadMs }: { step: FollowedStep; aheadMs: number }) {
  if (state === 'done' || state === 'problem') return text
  return at && <Until at={at} aheadMs={aheadMs} />
}
