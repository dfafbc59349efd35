import { Button, Card, Stack, Text, TextInput, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { type ConditionNames, describeConditions } from '../../../shared/carts/flow-conditions.ts'
import { StationSign } from '../../core/ui/Thread.tsx'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { Conditions } from './Conditions.tsx'
import type { FlowDraft } from './draft.ts'
import { isUnfinished, type Problems } from './problems.ts'

interface Props {
  draft: FlowDraft
  names: ConditionNames
  isOpen: boolean
  isWrong: boolean
  isReadOnly: boolean
  onOpen: () => void
}

/** The flow's entry conditions. */
export function EntryCard({ draft: { conditions }, names, isOpen, isWrong, isReadOnly, onOpen }: Props) {
  const label = `${isReadOnly ? 'Show' : 'Edit'} which carts enter this flow`
  return (
    <div className="flow-step flow-entry" data-outcome="done" data-passed>
      <StationSign outcome="done" />
      <Card padding="sm" className="step-card" {...(isOpen && { 'data-open': true })}>
        <Title order={3} className="step-title">
          Cart abandoned
        </Title>
        <Text fz="sm" c="dimmed" mt={4}>
          {conditions === null || isUnfinished(conditions)
            ? 'All carts not handled by a flow above'
            : `Only if ${describeConditions(conditions, names)}`}
        </Text>
        {isWrong && (
          <Text fz="xs" c="var(--rc-bad)" fw={550}>
            Fix the marked fields
          </Text>
        )}
        <Button
          variant={isOpen ? 'light' : 'default'}
          size="compact-sm"
          mt={8}
          w="fit-content"
          aria-label={label}
          aria-expanded={isOpen}
          onClick={onOpen}
        >
          {isReadOnly ? 'Show' : 'Edit'}
        </Button>
      </Card>
    </div>
  )
}

interface PanelProps {
  draft: FlowDraft
  problems: Problems
  /** Counts rename requests; each focuses the name field. 0: not requested. */
  naming: number
  currency: string
  /** Text if the plan lacks conditions; null if it has them. */
  rulesPlan: string | null
  isReadOnly: boolean
  /** `part`: consecutive changes of one part merge into one undo step. */
  onChange: (next: Partial<FlowDraft>, what: string, part?: string) => void
}

export function EntryPanel({ draft, problems, naming, currency, rulesPlan, isReadOnly, onChange }: PanelProps) {
  const name = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (naming === 0) return
    // After the panel, which focuses itself when it opens.
    const frame = requestAnimationFrame(() => {
      name.current?.focus()
      name.current?.select()
    })
    return () => cancelAnimationFrame(frame)
  }, [naming])
  return (
    <Stack gap="md">
      <TextInput
        ref={name}
        {...(naming > 0 && { 'data-autofocus': true })}
        label="Name of the flow"
        maxLength={120}
        readOnly={isReadOnly}
        value={draft.name}
        error={problems.name}
        onChange={(event) => onChange({ name: event.currentTarget.value }, 'Name changed', 'name')}
      />
      {rulesPlan !== null && <UpgradeNotice text={rulesPlan} />}
      <Conditions
        label="Only carts if"
        none="All carts not handled by a flow above."
        conditions={draft.conditions}
        currency={currency}
        error={problems.conditions}
        isReadOnly={isReadOnly || rulesPlan !== null}
        onChange={(conditions) => onChange({ conditions }, 'Conditions changed', 'conditions')}
      />
      <Text fz="sm" c="dimmed">
        A cart keeps its flow. A change here applies to carts abandoned from then on.
      </Text>
    </Stack>
  )
}
