import { type Permission, useHasPermission } from '../api/me.ts'
import { Button, type ButtonProps } from './button.tsx'

/** A button that needs a permission. Without the permission it is disabled, and its hint names the permission. */
export function PermittedButton({ needs, disabled, title, ...rest }: { needs: Permission } & ButtonProps) {
  const isAllowed = useHasPermission()(needs)
  return (
    <Button
      {...rest}
      disabled={!isAllowed || disabled}
      title={isAllowed ? title : `This needs the permission ${needs}`}
    />
  )
}
