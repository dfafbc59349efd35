import { Button, Text, Title } from '@mantine/core'
import type { ConsentTable, RuleName } from '../../shared/consent.ts'
import {
  type CountryGroup,
  channelNames,
  channels,
  findOverrides,
  formatPlace,
  getCountryName,
  type RuleToRelax,
} from './country-groups.ts'

interface Props {
  table: ConsentTable
  groups: CountryGroup[]
  titles: ReadonlyMap<RuleName, string>
  /** null: the member may not change rules. */
  onOverride: ((overriding: RuleToRelax) => void) | null
}

/** Groups countries with the same rules. */
export function CountryGroups({ groups, ...rest }: Props) {
  return (
    <ul className="country-groups">
      {groups.map((group) => (
        <Group key={group.key} group={group} {...rest} />
      ))}
    </ul>
  )
}

const nameGroup = ({ countries }: CountryGroup) =>
  countries.length > 0 ? countries.map(getCountryName).join(', ') : 'All other countries, and unknown countries'

function Group({ group, ...rest }: Omit<Props, 'groups'> & { group: CountryGroup }) {
  return (
    <li>
      <Title order={4} fz="md" className="country-names">
        {nameGroup(group)}
      </Title>
      <dl className="country-channels">
        {channels.map((channel) => (
          <Channel key={channel} group={group} channel={channel} {...rest} />
        ))}
      </dl>
    </li>
  )
}

function Channel({ table, group, channel, titles, onOverride }: Omit<Props, 'groups'> & RuleToRelax) {
  const rule = group.rules[channel]
  const overridden = findOverrides(table, group, channel)
  const isOverridable =
    table.overridable.some((each) => each.channel === channel && each.from === rule) &&
    !(group.countries.length === 1 && overridden.length > 0)
  return (
    <div>
      <dt>{channelNames[channel]}</dt>
      <dd>
        <span className="country-rule">{titles.get(rule)}</span>
        {overridden.map((each) => (
          <Text key={each.id} component="span" fz="sm" className="country-overridden">
            Changed for {formatPlace(each.country)}: {titles.get(each.to)}
          </Text>
        ))}
        {group.also[channel] && (
          <Text component="span" fz="sm" c="dimmed">
            {group.also[channel]}
          </Text>
        )}
        {onOverride && isOverridable && (
          <Button
            variant="subtle"
            size="compact-sm"
            className="country-override"
            aria-label={`Change the rule for ${channelNames[channel]}: ${nameGroup(group)}`}
            onClick={() => onOverride({ group, channel })}
          >
            Change rule…
          </Button>
        )}
      </dd>
    </div>
  )
}
