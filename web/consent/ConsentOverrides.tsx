import { Button, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { ConsentOverrideView, ConsentTable, RuleName } from '../../shared/consent.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { DateTime } from '../ui/Time.tsx'
import { channelNames, formatPlace } from './country-groups.ts'
import { useEndConsentOverride } from './country-queries.ts'

/** Rules the team relaxed: who, when and on what legal ground. */
export function ConsentOverrides({ table, mayEnd }: { table: ConsentTable; mayEnd: boolean }) {
  const [ending, setEnding] = useState<ConsentOverrideView | null>(null)
  const end = useEndConsentOverride()
  const titles = new Map<RuleName, string>(table.rules.map(({ name, title }) => [name, title]))
  const inForce = table.overrides.filter(({ endedAt }) => !endedAt)
  const ended = table.overrides.filter(({ endedAt }) => endedAt)
  const close = () => {
    end.reset()
    setEnding(null)
  }
  return (
    <section aria-labelledby="consent-overridden">
      <Title order={3} id="consent-overridden">
        Changed rules
      </Title>
      {inForce.length === 0 ? (
        <Text fz="sm" c="dimmed" mt={4}>
          None. The rules above apply as they are.
        </Text>
      ) : (
        <ul className="overrides">
          {inForce.map((each) => (
            <li key={each.id}>
              <Entry override={each} titles={titles} />
              {mayEnd && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Restore the rule: ${channelNames[each.channel]}, ${formatPlace(each.country)}`}
                  onClick={() => setEnding(each)}
                >
                  Restore
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details className="overrides-ended">
          <summary>Ended ({ended.length})</summary>
          <ul className="overrides">
            {ended.map((each) => (
              <li key={each.id}>
                <Entry override={each} titles={titles} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {ending && (
        <Confirm
          opened
          title="Restore the original rule"
          confirmLabel="Restore rule"
          isBusy={end.isPending}
          problem={end.error?.message}
          onConfirm={() => end.mutate(ending.id, { onSuccess: close })}
          onClose={close}
        >
          <Text fz="sm">
            {channelNames[ending.channel]}, {formatPlace(ending.country)}: the rule “{titles.get(ending.from)}” applies
            again to every message not yet sent. The change stays on record, with who made it and when.
          </Text>
        </Confirm>
      )}
    </section>
  )
}

function Entry({ override, titles }: { override: ConsentOverrideView; titles: ReadonlyMap<RuleName, string> }) {
  const { channel, country, from, to, legalGround, createdAt, createdBy, endedAt, endedBy } = override
  return (
    <div>
      <strong>
        {channelNames[channel]}, {formatPlace(country)}
      </strong>
      <Text fz="sm">
        “{titles.get(to)}” instead of “{titles.get(from)}”
      </Text>
      <Text fz="sm" className="override-ground">
        {legalGround}
      </Text>
      <Text fz="xs" c="dimmed">
        {createdBy}, <DateTime at={createdAt} />
        {endedAt && (
          <>
            ; ended by {endedBy}, <DateTime at={endedAt} />
          </>
        )}
      </Text>
    </div>
  )
}
