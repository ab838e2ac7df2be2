# Installs dd on Windows from the archives of a release, for the user who runs this, and verifies them by SHA256SUMS.
#
#   ./install.ps1 [-ModifyPath]
#   ./install.ps1 -Uninstall
#
#   DD_INSTALL_DIR  where the program goes; default: %LOCALAPPDATA%\Programs\daydream
#   DD_VERSION      default: the newest
#   DD_RELEASE_URL  where the releases are: its download/VERSION and latest/download have the files
#   -ModifyPath     adds the directory to the user's PATH
#
# Until the new program has run, nothing outside of a temporary directory changes.
param([switch]$ModifyPath, [switch]$Uninstall)
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# The release script writes the address of the project here, once it has one.
$defaultUrl = ''

$directory = if ($env:DD_INSTALL_DIR) { $env:DD_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\daydream' }
$program = Join-Path $directory 'daydream.exe'
$replaced = "$program.replaced"
$userPath = [string][Environment]::GetEnvironmentVariable('Path', 'User')
$entries = @($userPath -split ';' | Where-Object { $_ })

if ($Uninstall) {
    if (-not (Test-Path $program)) { throw "dd is not installed in $directory" }
    Remove-Item $program
    Remove-Item -Force $replaced -ErrorAction SilentlyContinue
    if (-not (Get-ChildItem $directory -Force)) { Remove-Item $directory }
    if ($entries -contains $directory) {
        [Environment]::SetEnvironmentVariable('Path', (@($entries | Where-Object { $_ -ne $directory }) -join ';'), 'User')
    }
    Write-Output "removed $program; your archive and settings are still in $HOME\.daydream"
    return
}

$url = if ($env:DD_RELEASE_URL) { $env:DD_RELEASE_URL } else { $defaultUrl }
if (-not $url) { throw 'this version has no address for its releases; set DD_RELEASE_URL' }
# Windows PowerShell offers older protocols by default.
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
$machine = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
$target = switch ($machine) {
    'AMD64' { 'windows-x64' }
    'ARM64' { 'windows-arm64' }
    default { throw "there is no program for the processor $machine" }
}
$from = if ($env:DD_VERSION) { "$url/download/$($env:DD_VERSION -replace '^v', '')" } else { "$url/latest/download" }

$work = Join-Path ([IO.Path]::GetTempPath()) "daydream-$([Guid]::NewGuid())"
New-Item -ItemType Directory -Path $work | Out-Null
try {
    $sums = Join-Path $work 'SHA256SUMS'
    Invoke-WebRequest -UseBasicParsing -Uri "$from/SHA256SUMS" -OutFile $sums
    $line = Get-Content $sums | Where-Object { $_ -match "^[0-9a-f]{64} [ *]daydream-[0-9][0-9A-Za-z.+-]*-$target\.zip$" } | Select-Object -First 1
    if (-not $line) { throw "the release has no archive for $target" }
    $expected, $archive = $line -split ' [ *]'
    $packed = Join-Path $work $archive
    Invoke-WebRequest -UseBasicParsing -Uri "$from/$archive" -OutFile $packed
    $actual = (Get-FileHash -Algorithm SHA256 $packed).Hash.ToLowerInvariant()
    if ($actual -ne $expected) { throw "$archive has the checksum $actual instead of $expected; nothing was installed" }
    Expand-Archive -Path $packed -DestinationPath $work
    $new = Join-Path $work (Join-Path ([IO.Path]::GetFileNameWithoutExtension($archive)) 'daydream.exe')
    $version = & $new --version
    if ($LASTEXITCODE -ne 0) { throw "the program for $target does not run here; nothing was installed" }
    New-Item -ItemType Directory -Force -Path $directory | Out-Null
    # A program that runs can be renamed on its drive, but not replaced.
    if (Test-Path $program) { Move-Item -Force $program $replaced }
    try { Move-Item $new $program }
    catch {
        if (Test-Path $replaced) { Move-Item -Force $replaced $program }
        throw
    }
    Write-Output "installed $version as $program"
}
finally {
    # The replaced program may still run; then the next installation removes it.
    Remove-Item -Recurse -Force $work, $replaced -ErrorAction SilentlyContinue
}

if ($ModifyPath -and $entries -notcontains $directory) {
    [Environment]::SetEnvironmentVariable('Path', ((@($directory) + $entries) -join ';'), 'User')
    Write-Output 'changed PATH; open a new terminal'
}
elseif ($entries -notcontains $directory) {
    Write-Output "$directory is not on your PATH; add it, or use -ModifyPath"
}
