import { Button, Group, Input, Menu, NativeSelect, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type FlowConditions, MAX_CONDITIONS } from '../../../shared/carts/flow-conditions.ts'
import { ConditionRow } from './ConditionRow.tsx'
import {
  addCondition,
  changeCondition,
  countConditions,
  createCondition,
  type Fact,
  factNames,
  offeredFacts,
  setMatch,
} from './condition-draft.ts'

interface Props {
  label: string
  /** Text without conditions. */
  none: string
  conditions: FlowConditions | null
  currency: string
  error: string | undefined
  isReadOnly: boolean
  onChange: (next: FlowConditions | null) => void
}

/** Conditions of a flow or message: groups joined by all or any. */
export function Conditions(props: Props) {
  const { label, none, conditions, error, isReadOnly, onChange } = props
  const groups = conditions?.groups ?? []
  const isFull = countConditions(conditions) >= MAX_CONDITIONS
  const add = (group: number | null) => (fact: Fact) => onChange(addCondition(conditions, createCondition(fact), group))
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <Stack gap="sm" mt={4} role="group" aria-label={label}>
        {conditions === null && (
          <Text fz="sm" c="dimmed">
            {none}
          </Text>
        )}
        {conditions &&
          groups.map((_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place
            <ConditionGroup key={at} {...props} conditions={conditions} at={at} onAdd={isFull ? null : add(at)} />
          ))}
        {!isReadOnly && !isFull && (
          <Group gap={6}>
            {groups.length < 2 && <AddCondition label="Add a condition" onAdd={add(0)} />}
            {groups.length > 0 && <AddCondition label="Add a group" onAdd={add(null)} />}
          </Group>
        )}
        {isFull && (
          <Text fz="sm" c="dimmed">
            The maximum of {MAX_CONDITIONS} conditions is reached.
          </Text>
        )}
      </Stack>
    </Input.Wrapper>
  )
}

interface GroupProps extends Props {
  conditions: FlowConditions
  /** Index of the group. */
  at: number
  /** null: the maximum number of conditions is reached. */
  onAdd: ((fact: Fact) => void) | null
}

function ConditionGroup({ conditions, at, currency, error, isReadOnly, onAdd, onChange }: GroupProps) {
  const { match, groups } = conditions
  const group = groups[at]!
  return (
    <div className="condition-group">
      {at > 0 && (
        <MatchSelect
          label={`Between group ${at} and group ${at + 1}`}
          labels={['and', 'or']}
          match={match}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange(setMatch(conditions, next, null))}
        />
      )}
      {group.conditions.length > 1 && (
        <MatchSelect
          label={groups.length > 1 ? `In group ${at + 1}` : 'How many must match'}
          labels={['All conditions match', 'Any condition matches']}
          match={group.match}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange(setMatch(conditions, next, at))}
        />
      )}
      <ul className="conditions">
        {group.conditions.map((condition, place) => (
          <ConditionRow
            // biome-ignore lint/suspicious/noArrayIndexKey: so is a condition
            key={`${place} ${condition.fact}`}
            condition={condition}
            currency={currency}
            isReadOnly={isReadOnly}
            isChecked={error !== undefined}
            onChange={(next) => onChange(changeCondition(conditions, [at, place], next))}
          />
        ))}
      </ul>
      {!isReadOnly && onAdd && groups.length > 1 && <AddCondition label={`Add to group ${at + 1}`} onAdd={onAdd} />}
    </div>
  )
}

interface MatchProps {
  label: string
  labels: readonly [all: string, any: string]
  match: 'all' | 'any'
  isReadOnly: boolean
  onChange: (match: 'all' | 'any') => void
}

const MatchSelect = ({ label, labels: [all, any], match, isReadOnly, onChange }: MatchProps) => (
  <NativeSelect
    aria-label={label}
    size="xs"
    w="fit-content"
    disabled={isReadOnly}
    data={[
      { value: 'all', label: all },
      { value: 'any', label: any },
    ]}
    value={match}
    onChange={(event) => onChange(event.currentTarget.value === 'any' ? 'any' : 'all')}
  />
)

const AddCondition = ({ label, onAdd }: { label: string; onAdd: (fact: Fact) => void }) => (
  <Menu position="bottom-start" withinPortal>
    <Menu.Target>
      <Button variant="default" size="compact-sm" leftSection={<IconPlus size={14} aria-hidden />}>
        {label}
      </Button>
    </Menu.Target>
    <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
      {offeredFacts.map(({ about, facts }) => [
        <Menu.Label key={about}>{about}</Menu.Label>,
        ...facts.map((fact) => (
          <Menu.Item key={fact} onClick={() => onAdd(fact)}>
            {factNames[fact]}
          </Menu.Item>
        )),
      ])}
    </Menu.Dropdown>
  </Menu>
)
