import { Text } from '@mantine/core'
import { IconAlertTriangle, IconCircle, IconCircleCheckFilled, IconCircleDot } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { FollowedStep, StepName } from './followed.ts'
import { Until } from './Until.tsx'

const signs = {
  done: { Sign: IconCircleCheckFilled, stateLabel: 'done' },
  now: { Sign: IconCircleDot, stateLabel: 'next' },
  later: { Sign: IconCircle, stateLabel: 'later' },
  problem: { Sign: IconAlertTriangle, stateLabel: 'problem' },
}

interface Props {
  steps: FollowedStep[]
  aheadMs: number
  /** Action beside a step that is next or failed. */
  stepActions: Partial<Record<StepName, ReactNode>>
}

export function FollowedSteps({ steps, aheadMs, stepActions }: Props) {
  return (
    <ol className="steps followed">
      {steps.map(({ name, title, text, state, at }) => {
        const { Sign, stateLabel } = signs[state]
        return (
          <li key={name} className="step" data-done={state === 'done'} data-state={state} data-step={name}>
            <Sign size={20} aria-hidden />
            <div className="step-words">
              <Text fw={state === 'later' ? 500 : 600} fz="sm">
                {title}
                <span className="visually-hidden"> ({stateLabel})</span>
                {at && state !== 'done' && (
                  <span className="followed-at">
                    <Until at={at} aheadMs={aheadMs} />
                  </span>
                )}
              </Text>
              <Text fz="sm" c="dimmed">
                {text}
              </Text>
            </div>
            {(state === 'now' || state === 'problem') && stepActions[name]}
          </li>
        )
      })}
    </ol>
  )
}
