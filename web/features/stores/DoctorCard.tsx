import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconStethoscope } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { StoreView } from '../../../shared/access/stores.ts'
import type { Check } from '../../../shared/core/checks.ts'
import { CheckList } from '../../core/ui/CheckList.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { Fold } from '../../core/ui/Fold.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { useDoctor } from './queries.ts'
import { ReplaceKeysDialog, useCanReplaceKeys } from './ReplaceKeysDialog.tsx'

/** Runs the connection checks against the store. */
export function DoctorCard({ store }: { store: StoreView }) {
  const doctor = useDoctor(store.id)
  const mayReplace = useCanReplaceKeys(store)
  const [isReplacing, setReplacing] = useState(false)
  return (
    <Card component="section" aria-label="Connection doctor">
      <Group justify="space-between" gap="xs">
        <Title order={2}>Connection doctor</Title>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconStethoscope size={14} aria-hidden />}
          loading={doctor.isFetching}
          onClick={() => doctor.refetch()}
        >
          Run again
        </Button>
      </Group>
      <Text fz="sm" c="dimmed" mt={4} mb="md" role="status">
        {doctor.isFetching ? (
          'Checking your store…'
        ) : doctor.data ? (
          <>
            {describeSummary(doctor.data.checks)} Checked <TimeAgo at={doctor.data.at} />.
          </>
        ) : (
          'Your store has not been checked yet.'
        )}
      </Text>
      <Stack gap="md">
        {doctor.isPending && <LoadingList count={8} />}
        {doctor.error && (
          <Failed title="The connection could not be checked" error={doctor.error} onRetry={() => doctor.refetch()} />
        )}
        {doctor.data && (
          <Results
            checks={doctor.data.checks}
            fixLink={(check) =>
              mayReplace &&
              areKeysRefused(check) && (
                <Button variant="default" size="xs" onClick={() => setReplacing(true)}>
                  Replace keys
                </Button>
              )
            }
          />
        )}
      </Stack>
      {/* Outside the list: its repair may remove the list item while it is open. */}
      <ReplaceKeysDialog store={store} opened={isReplacing} onClose={() => setReplacing(false)} />
    </Card>
  )
}

/** What needs attention, and the rest in one line. */
function Results({ checks, fixLink }: { checks: readonly Check[]; fixLink: (check: Check) => ReactNode }) {
  // A check that was not good stays in sight, so that a repair is seen.
  const [watched, setWatched] = useState<readonly string[]>([])
  const isShown = ({ id, state }: Check) => state !== 'good' || watched.includes(id)
  const others = checks.filter(isShown)
  const good = checks.filter((check) => !isShown(check))
  const added = others.map(({ id }) => id).filter((id) => !watched.includes(id))
  if (added.length > 0) setWatched([...watched, ...added])
  return (
    <>
      {others.length > 0 && <CheckList label="Parts of the connection" checks={others} fixLink={fixLink} />}
      {good.length > 0 && (
        <Fold text={`${formatCounted(good.length, 'check')} OK`} what="checks">
          <CheckList label="Parts that work" checks={good} />
        </Fold>
      )}
    </>
  )
}

/** Checks that other API keys would fix. */
const areKeysRefused = ({ id, state }: Check) =>
  (id === 'keys' || id === 'permissions') && (state === 'bad' || state === 'warn')

function describeSummary(checks: readonly Check[]): string {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length
  const [problems, warnings] = [count('bad'), count('warn')]
  if (problems + warnings === 0) return 'Everything is OK.'
  const parts = [
    problems > 0 ? `${problems} ${problems === 1 ? 'problem' : 'problems'}` : '',
    warnings > 0 ? `${warnings} ${warnings === 1 ? 'needs' : 'need'} attention` : '',
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}
