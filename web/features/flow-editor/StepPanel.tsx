import { Button, SegmentedControl, Stack, Title } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { FlowChannel } from '../../../shared/carts/flow-conditions.ts'
import type { FlowChannels, StepTexts } from '../../../shared/marketing/flows.ts'
import { isDesigned } from '../../../shared/messages/mail-document.ts'
import { DurationInput } from '../../core/ui/DurationInput.tsx'
import { channelNames } from '../../kits/flows/rules.ts'
import { MailDesign } from '../../kits/mail-editor/MailDesign.tsx'
import type { Words } from '../../kits/message-editor/rules.ts'
import { finished } from '../../kits/message-editor/step-coupon.ts'
import { WordEditor } from '../../kits/message-editor/WordEditor.tsx'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { useTemplates } from '../campaigns/queries.ts'
import { ChannelOrder } from './ChannelOrder.tsx'
import { Conditions } from './Conditions.tsx'
import {
  changeVariant,
  type FlowDraft,
  getContent,
  type StepDraft,
  selectCoupon,
  setContent,
  setDesign,
} from './draft.ts'
import { type ChosenCart, Preview } from './Preview.tsx'
import { buildContentField, findFirstContentError, NOT_LATER, type StepProblems } from './problems.ts'
import { Variants } from './Variants.tsx'

interface Props extends StepContentProps, Pick<TimeProps, 'up'> {
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
          none="Every shopper of this flow who has not bought since."
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

interface TimeProps extends Pick<StepContentProps, 'step' | 'problems' | 'isReadOnly' | 'onChange'> {
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
          Keep this time and move up to number {up.place}
        </Button>
      )}
    </div>
  )
}

interface StepContentProps {
  flowId: string
  step: StepDraft
  /** The flow's entry conditions. */
  entry: FlowDraft['conditions']
  problems: StepProblems
  channels: FlowChannels
  /** Text if the plan has neither conditions nor variants; null if it has. */
  rulesPlan: string | null
  cart: ChosenCart
  isReadOnly: boolean
  createKey: () => string
  /** `part`: consecutive changes of one part merge into one undo step. */
  onChange: (next: Partial<StepDraft>, what: string, part?: string) => void
}

/** Content of a message by variant and channel, its coupon, and its preview. */
function StepContent(props: StepContentProps) {
  const { step, problems, rulesPlan, isReadOnly, createKey, onChange } = props
  const { variant, channel, chooseVariant, chooseChannel } = useSelectedContent(step, problems)
  return (
    <Stack gap="md" component="section" aria-label="Content">
      <Title order={3}>Content</Title>
      <Variants
        step={step}
        chosen={variant.key}
        error={problems.shares}
        isReadOnly={isReadOnly || rulesPlan !== null}
        createKey={createKey}
        onChoose={chooseVariant}
        onChange={onChange}
      >
        <Stack gap="md">
          {step.channels.length > 1 && (
            <SegmentedControl
              aria-label="Content for"
              w="fit-content"
              value={channel}
              onChange={(value) => chooseChannel(value as FlowChannel)}
              data={step.channels.map((value) => ({ value, label: channelNames[value] }))}
            />
          )}
          <ChannelContent {...props} variant={variant} channel={channel} />
        </Stack>
      </Variants>
    </Stack>
  )
}

/** Which content is shown: the chosen tab, or after an attempt to save the one with an error. */
function useSelectedContent(step: StepDraft, problems: StepProblems) {
  const [chosenVariant, chooseVariant] = useState(step.variants[0]!.key)
  const [chosenChannel, chooseChannel] = useState<FlowChannel | null>(null)
  const variant = step.variants.find(({ key }) => key === chosenVariant) ?? step.variants[0]!
  const channel = chosenChannel && step.channels.includes(chosenChannel) ? chosenChannel : step.channels[0]!
  const [wrongVariant, wrongChannel] = findFirstContentError(problems) ?? []
  useEffect(() => {
    if (wrongVariant === undefined) return
    chooseVariant(wrongVariant)
    chooseChannel(wrongChannel as FlowChannel)
  }, [wrongVariant, wrongChannel])
  return { variant, channel, chooseVariant, chooseChannel }
}

interface ChannelContentProps extends StepContentProps {
  variant: StepDraft['variants'][number]
  channel: FlowChannel
}

function ChannelContent({ variant, channel, ...props }: ChannelContentProps) {
  const { flowId, step, entry, problems, channels, cart, isReadOnly, onChange } = props
  const content = getContent(variant.words, channel)
  const changeContent = (next: Partial<Words>) =>
    onChange(
      changeVariant(step, variant.key, { words: setContent(variant.words, channel, next) }),
      'Text changed',
      `words ${variant.key} ${channel} ${Object.keys(next).join()}`,
    )
  const changeEmail = (words: StepTexts, part?: string) =>
    onChange(changeVariant(step, variant.key, { words }), 'Email changed', part)
  const { design } = variant.words.email
  const templates = useTemplateChoice(content, changeContent)
  return (
    <WordEditor
      layout="panel"
      channel={channel}
      words={content}
      problems={listProblems(problems, variant.key, channel)}
      coupon={{ edit: step, onChange: (next) => onChange(next, 'Coupon changed', 'coupon') }}
      approved={channels.whatsapp.template}
      isReadOnly={isReadOnly}
      {...(variant.id === null && { templates })}
      onWords={changeContent}
      design={{
        isOwn: isDesigned(design),
        link: (
          <MailDesign
            title={step.name}
            design={design}
            text={content}
            coupon={finished(selectCoupon(step))}
            isReadOnly={isReadOnly}
            onChange={(next) => changeEmail(setDesign(variant.words, next), `design ${variant.key}`)}
            onText={() => changeEmail(setContent(variant.words, 'email', {}))}
          />
        ),
      }}
      preview={
        <Preview
          flowId={flowId}
          step={step}
          entry={entry}
          variant={variant}
          channel={channel}
          cart={cart}
          onBody={(body) => changeContent({ body })}
        />
      }
    />
  )
}

const couponFields = ['coupon', 'pauseDays', 'aboveAmount'] as const

/** Field names of the message editor. */
function listProblems(problems: StepProblems, variantKey: string, channel: FlowChannel) {
  const found: Partial<Record<(typeof couponFields)[number] | 'subject' | 'body', string>> = {}
  for (const field of couponFields) if (problems[field]) found[field] = problems[field]
  for (const field of ['subject', 'body'] as const) {
    const problem = problems[buildContentField(variantKey, channel, field)]
    if (problem) found[field] = problem
  }
  return found
}

const OWN = 'own'

/** Templates offered for a new mail. */
function useTemplateChoice(content: Words, onContent: (content: Words) => void) {
  const ready = useTemplates().data?.campaign.filter(({ body }) => body !== '') ?? []
  const chosen = ready.find(({ subject, body }) => subject === content.subject && body === content.body)
  return {
    choices: [...ready.map(({ id, name }) => ({ id, name })), { id: OWN, name: 'Your own text' }],
    value: chosen?.id ?? OWN,
    onChoose(id: string) {
      const template = ready.find((each) => each.id === id)
      if (template) onContent({ subject: template.subject, body: template.body })
    },
  }
}
