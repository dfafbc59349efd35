import { Anchor, Input, SegmentedControl } from '@mantine/core'
import { Link } from 'react-router'
import type { FlowChannels } from '../../shared/flows.ts'
import { DurationInput } from '../ui/DurationInput.tsx'
import { Notice } from '../ui/Notice.tsx'
import { WordEditor } from '../words/WordEditor.tsx'
import { Preview } from './Preview.tsx'
import { channelNames, type StepEdit, type StepProblems, withWords, wordsOf } from './rules.ts'

const CHANNELS = ['email', 'sms', 'whatsapp', 'push'] as const

interface Props {
  flowId: string
  step: StepEdit
  problems: StepProblems
  channels: FlowChannels
  /** Chosen for the preview, of whichever step. */
  cart: readonly [string | null, (cartId: string) => void]
  isReadOnly: boolean
  onChange: (next: Partial<StepEdit>) => void
}

/** A step: when it goes, by which channel, and its words. */
export function StepEditor(props: Props) {
  const { flowId, step, problems, channels, cart, isReadOnly, onChange } = props
  const { channel } = step
  return (
    <WordEditor
      layout="page"
      channel={channel}
      words={wordsOf(step)}
      problems={problems}
      coupon={{ edit: step, onChange }}
      approved={channels.whatsapp.template}
      isReadOnly={isReadOnly}
      onWords={(next) => onChange(withWords(step, next))}
      before={<WhenAndHow {...props} />}
      preview={
        <Preview flowId={flowId} step={step} channel={channel} cart={cart} onBody={(sms) => onChange({ sms })} />
      }
    />
  )
}

function WhenAndHow({ step, problems, channels, isReadOnly, onChange }: Props) {
  const { channel } = step
  return (
    <>
      <DurationInput
        label="Send after"
        disabled={isReadOnly}
        minutes={step.delayMinutes}
        onChange={(delayMinutes) => onChange({ delayMinutes })}
        error={problems.delayMinutes}
      />
      <Input.Wrapper label="Channel" labelElement="div" error={problems.channel}>
        <div>
          <SegmentedControl
            aria-label="Channel"
            disabled={isReadOnly}
            value={channel}
            onChange={(value) => onChange({ channel: value as StepEdit['channel'] })}
            data={CHANNELS.map((value) => ({ value, label: channelNames[value] }))}
          />
        </div>
      </Input.Wrapper>
      {channel !== 'email' && <Obstacle channel={channel} problem={channels[channel].problem} />}
    </>
  )
}

/** Said before anything is saved: what is planned would wait for it. */
function Obstacle({ channel, problem }: { channel: keyof FlowChannels; problem: string | null }) {
  if (!problem) return null
  // Of its platform: there is nothing to set.
  if (channel === 'push') return <Notice tone="warn">{problem}</Notice>
  const isOfPlan = problem.includes('plan')
  return (
    <Notice tone="warn">
      {problem}{' '}
      <Anchor
        component={Link}
        to={isOfPlan ? '/pricing' : `/settings/sending/${problem.includes('SMS') ? 'sms' : 'whatsapp'}`}
        inherit
        underline="always"
      >
        {isOfPlan ? 'See plans' : 'Open the settings'}
      </Anchor>
    </Notice>
  )
}
