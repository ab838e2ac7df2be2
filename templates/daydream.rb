class Daydream < Formula
  desc "Code reviewer in one binary"
  homepage "{{homepage}}"
  version "{{version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{url}}/download/{{version}}/daydream-{{version}}-darwin-arm64.tar.xz"
      sha256 "{{darwin-arm64}}"
    end
    on_intel do
      url "{{url}}/download/{{version}}/daydream-{{version}}-darwin-x64.tar.xz"
      sha256 "{{darwin-x64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{url}}/download/{{version}}/daydream-{{version}}-linux-arm64.tar.xz"
      sha256 "{{linux-arm64}}"
    end
    on_intel do
      url "{{url}}/download/{{version}}/daydream-{{version}}-linux-x64.tar.xz"
      sha256 "{{linux-x64}}"
    end
  end

  def install
    bin.install "daydream"
    man1.install "daydream.1"
    bash_completion.install "completions/daydream.bash" => "daydream"
    zsh_completion.install "completions/_daydream"
    fish_completion.install "completions/daydream.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/daydream --version")
  end
end
