import { Button, Text, Title } from '@mantine/core'
import type { ConsentTable, RuleName } from '../../shared/consent.ts'
import {
  type CountryGroup,
  channelNames,
  channels,
  countryName,
  placeWords,
  type Relaxing,
  relaxationsOn,
} from './country-groups.ts'

interface Props {
  table: ConsentTable
  groups: CountryGroup[]
  titles: ReadonlyMap<RuleName, string>
  /** null: whoever looks may not. */
  onRelax: ((relaxing: Relaxing) => void) | null
}

/** Countries with the same rules stand together. */
export function CountryGroups({ groups, ...rest }: Props) {
  return (
    <ul className="country-groups">
      {groups.map((group) => (
        <Group key={group.key} group={group} {...rest} />
      ))}
    </ul>
  )
}

const groupName = ({ countries }: CountryGroup) =>
  countries.length > 0 ? countries.map(countryName).join(', ') : 'Every other country, and where it is not known'

function Group({ group, ...rest }: Omit<Props, 'groups'> & { group: CountryGroup }) {
  return (
    <li>
      <Title order={4} fz="md" className="country-names">
        {groupName(group)}
      </Title>
      <dl className="country-channels">
        {channels.map((channel) => (
          <Channel key={channel} group={group} channel={channel} {...rest} />
        ))}
      </dl>
    </li>
  )
}

function Channel({ table, group, channel, titles, onRelax }: Omit<Props, 'groups'> & Relaxing) {
  const rule = group.rules[channel]
  const relaxed = relaxationsOn(table, group, channel)
  const isRelaxable =
    table.relaxable.some((each) => each.channel === channel && each.from === rule) &&
    !(group.countries.length === 1 && relaxed.length > 0)
  return (
    <div>
      <dt>{channelNames[channel]}</dt>
      <dd>
        <span className="country-rule">{titles.get(rule)}</span>
        {relaxed.map((each) => (
          <Text key={each.id} component="span" fz="sm" className="country-relaxed">
            Relaxed for {placeWords(each.country)}: {titles.get(each.to)}
          </Text>
        ))}
        {group.also[channel] && (
          <Text component="span" fz="sm" c="dimmed">
            {group.also[channel]}
          </Text>
        )}
        {onRelax && isRelaxable && (
          <Button
            variant="subtle"
            size="compact-sm"
            className="country-relax"
            aria-label={`Relax the rule for ${channelNames[channel]}: ${groupName(group)}`}
            onClick={() => onRelax({ group, channel })}
          >
            Relax…
          </Button>
        )}
      </dd>
    </div>
  )
}
