import { Button, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { ConsentTable, RelaxationView, RuleName } from '../../shared/consent.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { DateTime } from '../ui/Time.tsx'
import { channelNames, placeWords } from './country-groups.ts'
import { useEndRelaxation } from './country-queries.ts'

/** What the team relaxed: who, when and on what ground. */
export function Relaxations({ table, mayEnd }: { table: ConsentTable; mayEnd: boolean }) {
  const [ending, setEnding] = useState<RelaxationView | null>(null)
  const end = useEndRelaxation()
  const titles = new Map<RuleName, string>(table.rules.map(({ name, title }) => [name, title]))
  const inForce = table.relaxations.filter(({ endedAt }) => !endedAt)
  const ended = table.relaxations.filter(({ endedAt }) => endedAt)
  const close = () => {
    end.reset()
    setEnding(null)
  }
  return (
    <section aria-labelledby="consent-relaxed">
      <Title order={3} id="consent-relaxed">
        Relaxed rules
      </Title>
      {inForce.length === 0 ? (
        <Text fz="sm" c="dimmed" mt={4}>
          None. Every rule holds as it stands above.
        </Text>
      ) : (
        <ul className="relaxations">
          {inForce.map((each) => (
            <li key={each.id}>
              <Entry relaxation={each} titles={titles} />
              {mayEnd && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`End: ${channelNames[each.channel]}, ${placeWords(each.country)}`}
                  onClick={() => setEnding(each)}
                >
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details className="relaxations-ended">
          <summary>Ended ({ended.length})</summary>
          <ul className="relaxations">
            {ended.map((each) => (
              <li key={each.id}>
                <Entry relaxation={each} titles={titles} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {ending && (
        <Confirm
          opened
          title="End this relaxation"
          confirmLabel="End it"
          isBusy={end.isPending}
          problem={end.error?.message}
          onConfirm={() => end.mutate(ending.id, { onSuccess: close })}
          onClose={close}
        >
          <Text fz="sm">
            {channelNames[ending.channel]}, {placeWords(ending.country)}: the rule “{titles.get(ending.from)}” holds
            again for every message that has not left yet. What was relaxed, by whom and when stays on record.
          </Text>
        </Confirm>
      )}
    </section>
  )
}

function Entry({ relaxation, titles }: { relaxation: RelaxationView; titles: ReadonlyMap<RuleName, string> }) {
  const { channel, country, from, to, legalGround, createdAt, createdBy, endedAt, endedBy } = relaxation
  return (
    <div>
      <strong>
        {channelNames[channel]}, {placeWords(country)}
      </strong>
      <Text fz="sm">
        “{titles.get(to)}” instead of “{titles.get(from)}”
      </Text>
      <Text fz="sm" className="relaxation-ground">
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
