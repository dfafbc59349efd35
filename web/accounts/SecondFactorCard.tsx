import { Button, Card, Group, Text, Title } from '@mantine/core'
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react'
import { useState } from 'react'
import type { User } from '../../shared/auth.ts'
import { Facts } from '../ui/Facts.tsx'
import { Failed } from '../ui/Failed.tsx'
import { formatCounted } from '../ui/format.ts'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { EndDialog, RenewDialog } from './SecondFactorDialogs.tsx'
import { SecondFactorSetup } from './SecondFactorSetup.tsx'
import { useSecondFactor } from './second-factor-queries.ts'

const FEW = 3

/** Two-factor sign-in: off, being set up, on (decision 90). */
export function SecondFactorCard({ user }: { user: User }) {
  const factor = useSecondFactor()
  const [isSettingUp, setSettingUp] = useState(false)
  return (
    <Card>
      <Title order={2}>Two-factor sign-in</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Signing in then also asks for a code of an authenticator app on your phone. A stolen password alone opens
        nothing.
      </Text>
      {isSettingUp ? (
        <SecondFactorSetup user={user} onClose={() => setSettingUp(false)} />
      ) : factor.isPending ? (
        <LoadingList count={1} />
      ) : factor.data?.isOn ? (
        <SecondFactorOn since={factor.data.since!} left={factor.data.recoveryCodesLeft} />
      ) : factor.data ? (
        <Group gap="md">
          <Button variant="default" onClick={() => setSettingUp(true)}>
            Set up
          </Button>
          <StatusBadge tone="quiet" icon={IconShieldOff} label="Off" />
        </Group>
      ) : (
        <Failed title="Two-factor sign-in could not be loaded" error={factor.error} onRetry={() => factor.refetch()} />
      )}
    </Card>
  )
}

function SecondFactorOn({ since, left }: { since: string; left: number }) {
  const [isEnding, setEnding] = useState(false)
  const [isRenewing, setRenewing] = useState(false)
  return (
    <>
      <Facts
        entries={[
          ['State', <StatusBadge key="on" tone="good" icon={IconShieldCheck} label="On" />],
          ['Since', <DateTime key="since" at={since} />],
          ['Recovery codes', `${formatCounted(left, 'code')} left`],
        ]}
      />
      {left <= FEW && (
        <div style={{ marginTop: 16 }}>
          <Notice tone="warn">
            {left === 0 ? 'There is no recovery code left.' : 'Few recovery codes are left.'} Make new ones, so that you
            can sign in without your phone.
          </Notice>
        </div>
      )}
      <Group gap="sm" mt="lg">
        <Button variant="default" onClick={() => setRenewing(true)}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={() => setEnding(true)}>
          Switch off
        </Button>
      </Group>
      <RenewDialog opened={isRenewing} onClose={() => setRenewing(false)} />
      <EndDialog opened={isEnding} onClose={() => setEnding(false)} />
    </>
  )
}
