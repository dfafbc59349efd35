import { Button, Stack, Title } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useRef } from 'react'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { DurationInput } from '../ui/DurationInput.tsx'
import { ChannelOrder } from './ChannelOrder.tsx'
import { Conditions } from './Conditions.tsx'
import { NOT_LATER } from './problems.ts'
import { StepContent, type StepWordsProps } from './StepContent.tsx'

interface Props extends StepWordsProps, Pick<TimeProps, 'up'> {
  currency: string
}

/** Editor of a message: time, channels, conditions, content and preview. */
export function StepPanel(props: Props) {
  const { step, problems, channels, currency, rulesPlan, isReadOnly, onChange } = props
  return (
    <Stack gap="xl">
      <Stack gap="md" component="section" aria-label="When and how">
        <Time {...props} />
        <ChannelOrder
          channels={step.channels}
          obstacles={channels}
          error={problems.channels}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange({ channels: next }, 'Channels changed')}
        />
      </Stack>
      <Stack gap="md" component="section" aria-label="Who gets it">
        <Title order={3}>Who gets it</Title>
        {rulesPlan !== null && <UpgradeNotice text={rulesPlan} />}
        <Conditions
          label="Send it only if"
          none="Everybody who has left a cart of this flow, and has not bought since."
          conditions={step.conditions}
          currency={currency}
          error={problems.conditions}
          isReadOnly={isReadOnly || rulesPlan !== null}
          onChange={(conditions) => onChange({ conditions }, 'Conditions changed', 'conditions')}
        />
      </Stack>
      <StepContent {...props} />
    </Stack>
  )
}

interface TimeProps extends Pick<StepWordsProps, 'step' | 'problems' | 'isReadOnly' | 'onChange'> {
  /**
   * The position, from 1, that fits the message's time, and the message that causes it; null if there is none above.
   */
  up: { place: number; move: () => void } | null
}

/** The time. If it is before the message above, the message can be moved up instead of delayed. */
function Time({ step, problems, isReadOnly, up, onChange }: TimeProps) {
  const field = useRef<HTMLDivElement>(null)
  const error = problems.delayMinutes
  const moveUp = () => {
    up?.move()
    // The button disappears with the problem.
    field.current?.querySelector('input')?.focus()
  }
  return (
    <div ref={field}>
      <DurationInput
        label="Send after"
        description="Counted from the shopper’s last activity"
        disabled={isReadOnly}
        minutes={step.delayMinutes}
        onChange={(delayMinutes) => onChange({ delayMinutes }, 'Time changed', 'delay')}
        error={error}
      />
      {up && error === NOT_LATER && !isReadOnly && (
        <Button
          variant="default"
          size="compact-sm"
          mt="xs"
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={moveUp}
        >
          Keep its time, and move it up to number {up.place}
        </Button>
      )}
    </div>
  )
}
