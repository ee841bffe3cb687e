// The logo.
export function Mark({ className = 'size-8' }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className={className}>
      <rect width="32" height="32" rx="9" className="fill-accent" />
      <path d="M10 9.5h12M10 16h8.5M10 22.5h12" className="stroke-accent-ink fill-none stroke-[2.6]" strokeLinecap="round" />
      <circle cx="22.6" cy="16" r="1.9" fill="#f2b179" />
    </svg>
  )
}
