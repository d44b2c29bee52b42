import type { ComponentProps } from 'react';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
}

/** A button. Its type is `button`, so that it sends no form. */
export function Button({ look = 'plain', className = '', type = 'button', ...props }: ButtonProps) {
  return <button type={type} className={`button ${look} ${className}`} {...props} />;
}
