import { hasPermission } from '../../../shared/access/roles.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useTeam } from '../accounts/team-queries.ts'

/** For members who may view plans but not choose one (decision 8): whom to ask. */
export function PlanPermissionHint({ hasPlan }: { hasPlan: boolean }) {
  const leaders = useTeam().data?.members.filter(({ role }) => hasPermission(role, 'billing:write')) ?? []
  return (
    <Notice tone="info">
      {hasPlan ? 'Only an owner or admin of this account can change its plan.' : NO_PLAN}
      {leaders.length > 0 && ' You can ask '}
      {leaders.map(({ userId, name, email }, index) => (
        <span key={userId}>
          {index > 0 && (index === leaders.length - 1 ? ' or ' : ', ')}
          {name} (<a href={`mailto:${email}?subject=Our plan at Recoup`}>{email}</a>)
        </span>
      ))}
      {leaders.length > 0 && '.'}
    </Notice>
  )
}

const NO_PLAN = 'This account has no plan yet, and only an owner or admin of it can choose one.'
