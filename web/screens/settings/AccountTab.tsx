import { Button, Card, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { User } from '../../../shared/access/auth.ts'
import { plans } from '../../../shared/billing/billing.ts'
import { teamTexts } from '../../../shared/workspace/team.ts'
import { meQuery, useSubscription } from '../../core/access/queries.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { ReadOnly } from '../../core/ui/ReadOnly.tsx'
import { SettingLine } from '../../core/ui/SettingCard.tsx'
import { AccountsCard } from '../../features/accounts/AccountsCard.tsx'
import { DeleteCard, ExportCard, LeaveCard } from '../../features/accounts/DataCards.tsx'
import { LogoutDialog } from '../../features/accounts/LogoutDialog.tsx'
import { PasswordCard } from '../../features/accounts/PasswordCard.tsx'
import { ProfileCard } from '../../features/accounts/ProfileCard.tsx'
import { formatRole } from '../../features/accounts/rules.ts'
import { SecondFactorCard } from '../../features/accounts/SecondFactorCard.tsx'
import { SessionsCard } from '../../features/accounts/SessionsCard.tsx'
import { TeamCard } from '../../features/accounts/TeamCard.tsx'

export function AccountTab() {
  const me = useQuery(meQuery)
  if (me.isPending) return <LoadingCards count={4} rows={3} />
  if (!me.data) {
    return <Failed title="Your account could not be loaded" error={me.error!} onRetry={() => me.refetch()} />
  }
  const user = me.data
  // An operator viewing the account has no profile in it.
  if (user.viewedUntil) {
    return (
      <>
        <AccountCard user={user} />
        <TeamCard user={user} />
      </>
    )
  }
  return (
    <>
      {user.isDemo && <ReadOnly>{teamTexts.demo}</ReadOnly>}
      <AccountCard user={user} />
      {!user.isDemo && <ProfileCard key={user.accountId} user={user} />}
      {!user.isDemo && <PasswordCard user={user} />}
      {!user.isDemo && <SecondFactorCard user={user} />}
      <AccountsCard />
      <TeamCard user={user} />
      <SessionsCard user={user} />
      <NotificationsCard />
      <ExportCard user={user} />
      <LeaveCard user={user} />
      <DeleteCard user={user} />
    </>
  )
}

function AccountCard({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false)
  const plan = useSubscription()?.plan
  return (
    <Card>
      <Title order={2} mb="sm">
        Account
      </Title>
      <Facts
        entries={[
          ['Signed in as', user.email],
          ...(user.isDemo ? ([['Your name', user.name]] as [string, ReactNode][]) : []),
          ['Account', user.accountName],
          ['Role', formatRole(user.role)],
          ...(plan ? [['Plan', <PlanLink key="plan" name={plans[plan].name} />] as [string, ReactNode]] : []),
        ]}
      />
      <Button variant="default" mt="lg" w="fit-content" onClick={() => setAsking(true)}>
        Log Out
      </Button>
      <LogoutDialog opened={isAsking} onClose={() => setAsking(false)} />
    </Card>
  )
}

const PlanLink = ({ name }: { name: string }) => (
  <>
    {name} · <Link to="/billing">Billing and Subscription</Link>
  </>
)

/** A separate screen, because this one saves another form. */
const NotificationsCard = () => (
  <SettingLine title="Notifications" about="In the bell and by email.">
    <Button component={Link} to="/settings/account/notifications" variant="default" w="fit-content">
      Choose notifications
    </Button>
  </SettingLine>
)
