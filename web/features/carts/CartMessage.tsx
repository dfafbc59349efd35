import { Button, Collapse, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconBan,
  IconCheck,
  IconChevronDown,
  IconChevronUp,
  IconFlag,
  IconHourglass,
  IconPlayerSkipForward,
  IconX,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { getMessageName, type MessageView } from '../../../shared/carts/carts.ts'
import { useNow } from '../../core/ui/clock.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { MailFrame } from '../../core/ui/MailFrame.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DateTime, TimeUntil } from '../../core/ui/Time.tsx'
import { MessageState } from '../../kits/carts/badges.tsx'
import { hasOpenMessage, type InputEntry, isInstant, readInputs } from '../../kits/carts/rules.ts'
import { Unmet } from '../../kits/flows/Unmet.tsx'
import { type CheckLine, findDecidedChannel, listChecks } from './checks.ts'
import { describeForecast, findNextCheck, findPlannedTime } from './story.ts'

/** One message with its times, the decision about it, and the mail as sent. */
export function CartMessage({ message }: { message: MessageView }) {
  const [isWhyOpen, why] = useDisclosure(false)
  const [isMailOpen, mail] = useDisclosure(false)
  const name = getMessageName({ ...message, channel: message.forecast?.channel ?? message.channel })
  const now = useNow()
  const forecast = describeForecast(message)
  const isToCome = hasOpenMessage([message]) && Date.parse(findPlannedTime(message)) > now
  return (
    <Stack gap="sm" component="section" aria-label={name} className="message">
      <Group justify="space-between" gap="xs">
        <Title order={3} size="h4">
          {name}
          {isToCome && (
            <>
              , <TimeUntil at={findPlannedTime(message)} />
            </>
          )}
        </Title>
        <MessageState state={message.state} reason={message.reason} />
      </Group>
      <Text fz="sm">{message.explanation}</Text>
      {forecast && <Text fz="sm">{forecast}</Text>}
      <Facts entries={listTimes(message)} />
      <Group gap="xs">
        <Expander isOpen={isWhyOpen} onToggle={why.toggle} label="Why?" about={name} />
        {message.html && <Expander isOpen={isMailOpen} onToggle={mail.toggle} label="The email as sent" about={name} />}
      </Group>
      <Collapse expanded={isWhyOpen} keepMounted={false}>
        <DecisionRecord message={message} />
      </Collapse>
      {message.html && (
        <Collapse expanded={isMailOpen} keepMounted={false}>
          <Stack gap="xs">
            <Text className="subject">{message.subject}</Text>
            <MailFrame html={message.html} title={`Email: ${message.subject ?? name}`} />
          </Stack>
        </Collapse>
      )}
    </Stack>
  )
}

function listTimes(message: MessageView): [string, ReactNode][] {
  const entries: [string, ReactNode][] = []
  if (message.originKind === 'flow') entries.push(['Flow', message.originName])
  if (message.variant) entries.push(['Variant', message.variant])
  entries.push(['Due', <DateTime key="due" at={message.dueAt} />])
  const until = findNextCheck(message)
  if (until) entries.push(['Held until', <DateTime key="until" at={until} />])
  if (message.sentAt) entries.push(['Sent', <DateTime key="sent" at={message.sentAt} />])
  else if (message.finishedAt) entries.push(['Decided', <DateTime key="done" at={message.finishedAt} />])
  else entries.push(['Expires', <DateTime key="expires" at={message.expiresAt} />])
  if (message.deliveredAt) entries.push(['Delivered', <DateTime key="delivered" at={message.deliveredAt} />])
  if (message.readAt) entries.push(['Read', <DateTime key="read" at={message.readAt} />])
  if (message.to) entries.push(['To', message.to])
  if (message.response)
    entries.push([message.channel === 'email' ? 'Mail server’s answer' : 'Provider’s answer', message.response])
  return entries
}

interface ExpanderProps {
  isOpen: boolean
  onToggle: () => void
  label: string
  about: string
}

function Expander({ isOpen, onToggle, label, about }: ExpanderProps) {
  const Sign = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-expanded={isOpen}
      aria-label={`${label} ${about}`}
      rightSection={<Sign size={14} aria-hidden />}
      onClick={onToggle}
    >
      {label}
    </Button>
  )
}

type Decision = MessageView['decisions'][number]

const outcomes: Record<Decision['outcome'], Parameters<typeof StatusBadge>[0]> = {
  send: { tone: 'good', icon: IconCheck, label: 'Send' },
  hold: { tone: 'warn', icon: IconHourglass, label: 'Hold' },
  skip: { tone: 'quiet', icon: IconPlayerSkipForward, label: 'Do not send' },
  cancel: { tone: 'quiet', icon: IconBan, label: 'Cancel' },
  result: { tone: 'info', icon: IconFlag, label: 'Result' },
}

/** Every decision about a message: the checks and, on request, their input values. */
function DecisionRecord({ message: { decisions, channel } }: { message: MessageView }) {
  if (decisions.length === 0) return <Text fz="sm">Not checked yet. The checks run when the message is due.</Text>
  return (
    <ol className="story">
      {decisions.map((decision, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a record is only ever added to
        <li key={index}>
          <DecisionEntry decision={decision} checks={listChecks(decision, findDecidedChannel(decision, channel))} />
        </li>
      ))}
    </ol>
  )
}

function DecisionEntry({ decision, checks }: { decision: Decision; checks: CheckLine[] }) {
  // The deciding check already shows it.
  const isExplained = checks.at(-1)?.text === decision.explanation
  return (
    <Stack gap={6} align="flex-start">
      <StatusBadge {...outcomes[decision.outcome]} />
      {!isExplained && <Text fz="sm">{decision.explanation}</Text>}
      {checks.length > 0 && (
        <ul className="decision-checks" aria-label="Checks">
          {checks.map((check) => (
            <Check key={check.text} {...check} />
          ))}
        </ul>
      )}
      {decision.reason === 'condition' && <Unmet inputs={decision.inputs} />}
      <Text fz="xs" c="dimmed">
        <DateTime at={decision.at} />
        {decision.until && (
          <>
            , checked again <DateTime at={decision.until} />
          </>
        )}
      </Text>
      <details className="technical">
        <summary>Technical details</summary>
        <Facts
          entries={[
            ['Reason code', decision.reason],
            ...readInputs(decision.inputs).map(({ label, value }): [string, ReactNode] => [label, show(value)]),
          ]}
        />
      </details>
    </Stack>
  )
}

const signs = {
  passed: { Sign: IconCheck, word: 'Passed' },
  held: { Sign: IconHourglass, word: 'Held' },
  failed: { Sign: IconX, word: 'Failed' },
}

function Check({ result, text }: CheckLine) {
  const { Sign, word } = signs[result]
  return (
    <li data-result={result}>
      <Sign size={15} role="img" aria-label={word} />
      <span>{text}</span>
    </li>
  )
}

function show(value: InputEntry['value']) {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatCount(value)
  return isInstant(value) ? <DateTime at={value} /> : value
}
